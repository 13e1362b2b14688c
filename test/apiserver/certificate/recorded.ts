import { readFileSync } from 'node:fs';

/** A chain, and what Go said to it, by its version. */
export interface Recorded {
  readonly name: string;
  readonly host: string;
  readonly now: Date;
  /** DER. */
  readonly presented: readonly Buffer[];
  /** Base64 as in the object. */
  readonly caBundle: string;
  /** By Go's version; the empty text means accepted. */
  readonly go: Readonly<Record<string, string>>;
}

/** A Kubernetes release that was built with the Go version. */
export const releaseOf: Readonly<Record<string, string>> = { '1.25.9': 'v1.35.4', '1.26.8': 'v1.37.1' };

/** Written by test/oracle/certificate/record.ts. */
export const recorded: readonly Recorded[] = readFileSync(
  new URL('recorded/certificates.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map(
    (line) => JSON.parse(line) as Omit<Recorded, 'now' | 'presented'> & { now: string; presented: string[] },
  )
  .map((asked) => ({
    ...asked,
    now: new Date(asked.now),
    presented: asked.presented.map((der) => Buffer.from(der, 'base64')),
  }));
