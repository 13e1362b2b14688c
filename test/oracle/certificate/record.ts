import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownVersions } from '../../cluster/kubernetes.ts';
import { askGo } from './ask-go.ts';
import { type CertificateCase, questionLine } from './oracle-case.ts';
import { randomCase } from './random-case.ts';
import { representativeCases } from './representative-cases.ts';

/**
 * Selects about 150 chains with different results for the fast suite: `node
 * test/oracle/certificate/record.ts`. oracle-go-certificates.e2e.ts records the results of each release.
 */
const file = join(import.meta.dirname, '../../apiserver/certificate/recorded/certificates.jsonl');
const mostBytes = 6_000;
const wanted = 150;

const sizeOf = ({ presented, caBundle }: CertificateCase): number =>
  caBundle.length + presented.reduce((sum, der) => sum + der.length, 0);

/** The kind of a verification result: without names, numbers and dates. */
const kindOf = (answer = ''): string => answer.replaceAll(/"[^"]*"|valid for .*|\d+/g, '');

const representative = representativeCases((name) => `${name}.shop.svc`, new Date('2026-06-01T12:00:00Z'));
const generated = Array.from({ length: 3_000 }, (_, at) => randomCase(500_000 + at)).filter(
  (asked) => sizeOf(asked) <= mostBytes,
);
const cases = [...representative, ...generated];
const answers = await Promise.all(knownVersions().map((version) => askGo(cases, version)));

const seen = new Set<string>();
const lines = cases
  .filter((_, at) => {
    const kind = answers.map((all) => kindOf(all[at])).join();
    const isNew = !seen.has(kind);
    seen.add(kind);
    return at < representative.length || isNew;
  })
  .slice(0, wanted)
  .map((asked) => `{"name":${JSON.stringify(asked.name)},${questionLine(asked).slice(1)}\n`);
writeFileSync(file, lines.join(''));
console.log(`${lines.length} chains chosen`);
