import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askGo, goOfRelease } from './ask-go.ts';
import type { CertificateCase } from './oracle-case.ts';
import { randomCase } from './random-case.ts';
import { representativeCases } from './representative-cases.ts';

/** Writes what Go answers to about 150 chains where the fast suite reads it: `node test/oracle/certificate/record.ts`. */
const kubernetes = ['1.35.4', '1.37.1'] as const;
const folder = join(import.meta.dirname, '../../apiserver/certificate/recorded');
const mostBytes = 6_000;
const wanted = 150;

const sizeOf = ({ presented, caBundle }: CertificateCase): number =>
  caBundle.length + presented.reduce((sum, der) => sum + der.length, 0);

/** The kind of an answer: without names, numbers and dates. */
const kindOf = (answer: string): string => answer.replaceAll(/"[^"]*"|valid for .*|\d+/g, '');

const [older, newer] = kubernetes.map(goOfRelease) as [string, string];
const representative = representativeCases((name) => `${name}.shop.svc`, new Date('2026-06-01T12:00:00Z'));
const generated = Array.from({ length: 3_000 }, (_, at) => randomCase(500_000 + at)).filter(
  (asked) => sizeOf(asked) <= mostBytes,
);
const cases = [...representative, ...generated];
const answers = { [older]: await askGo(cases, older), [newer]: await askGo(cases, newer) };
const answersTo = (at: number) =>
  Object.fromEntries(Object.entries(answers).map(([go, all]) => [go, all[at]]));

const seen = new Set<string>();
const lines = cases
  .map((asked, at) => ({
    asked,
    go: answersTo(at),
    kind: Object.values(answersTo(at))
      .map((text) => kindOf(text ?? ''))
      .join(),
  }))
  .filter(({ kind }, at) => {
    const isNew = !seen.has(kind);
    seen.add(kind);
    return at < representative.length || isNew;
  })
  .slice(0, wanted)
  .map(({ asked, go }) =>
    JSON.stringify({
      name: asked.name,
      host: asked.host,
      now: asked.now.toISOString(),
      presented: asked.presented.map((der) => der.toString('base64')),
      caBundle: asked.caBundle.toString('base64'),
      go,
    }),
  );
writeFileSync(join(folder, 'certificates.jsonl'), `${lines.join('\n')}\n`);
console.log(`${lines.length} answers recorded`);
