/** The part of the service's logger that models use. */
export type ModelsLogger = {
  error(details: object, message: string): void;
  info(details: object, message: string): void;
};
