// For each POST, uploads a file to S3 with the vendor's client, and responds with the seconds it took.
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

const [endpoint = '', bucket = '', source = ''] = process.argv.slice(2);
const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });

const server = createServer((request, answer) => {
  if (request.method !== 'POST') {
    answer.end();
    return;
  }
  const begun = performance.now();
  const body = createReadStream(source, { highWaterMark: 1024 * 1024 });
  const params = { Bucket: bucket, Key: 'vendor/file.bin', Body: body };
  const upload = new Upload({ client, params, partSize: 8 * 1024 ** 2, queueSize: 4 });
  upload.done().then(
    () => answer.end(JSON.stringify({ seconds: (performance.now() - begun) / 1000 })),
    (error: unknown) => {
      answer.statusCode = 500;
      answer.end(String(error));
    },
  );
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
