import { readFileSync } from 'node:fs';
import type { CertificateCase } from '../../oracle/certificate/oracle-case.ts';
import { recordedAnswers } from '../../support/recordings.ts';

/** A chain that Go verified; `caBundle` is base64 as in the object. */
export interface Recorded extends Omit<CertificateCase, 'caBundle'> {
  readonly caBundle: string;
}

/** Chosen by test/oracle/certificate/record.ts. */
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

/** Go's results by version of Kubernetes and name of the chain; empty: accepted. */
export const goAnswers = recordedAnswers<string>('certificates-go');
