import { defineSentences } from '../kernel/sentence-catalogue.ts';

/** Why an outgoing call failed. */
export const outgoingSentences = defineSentences('outgoing calls', {
  CALL_NOT_ANSWERED: '{host} did not begin to answer in time',
  CALL_STALLED: '{host} stopped in the middle of its answer',
  CALL_OVER_TIME: '{host} did not answer completely within {limit} ms',
  CALL_STOPPED: 'the call was stopped',
  ANSWERS_FAILED: '{host} failed ({status})',
  CALL_STATUS: '{host} answered with the status {status}',
  ANSWER_TOO_LARGE: 'the answer of {host} has more than {limit} bytes',
  ANSWER_HEADERS_TOO_LARGE: '{host} answered with more headers than are read',
  ANSWER_CUT_OFF: '{host} closed the connection before its answer was complete',
  ANSWER_NO_HTTP: 'what {host} answered is no HTTP',
  ANSWER_NO_HTTP_BECAUSE: 'what {host} answered is no HTTP ({code})',
  HOST_UNKNOWN: 'the name {host} could not be resolved ({code})',
  HOST_REFUSES: 'nothing accepts connections at {host}',
  HOST_UNREACHABLE: '{host} can not be reached ({code})',
  HOST_HUNG_UP: '{host} hung up',
  HOST_SLOW: '{host} did not take the connection within {limit} ms',
  CONNECTION_FAILED: 'the connection to {host} failed: {code}',
  TLS_FAILED: 'the TLS connection to {host} failed: {why}',
  REDIRECT_NOT_FOLLOWED: '{host} redirects to {target}, which is not followed',
  REDIRECTS_TOO_OFTEN: '{host} redirects more than {limit} times',
  URL_NOT_ONE: 'this is no URL',
  URL_SCHEME: '{scheme} can not be called, only http: and https:',
  URL_CREDENTIALS: 'a URL must not have credentials in it',
  PORT_BLOCKED: 'port {port} belongs to another protocol and is not called',
  ADDRESS_FORBIDDEN:
    'connections to {target} are not allowed: it is no public address, and an administrator has not named it in TILTH_OUTGOING_ALLOW',
});
