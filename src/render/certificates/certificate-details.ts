import type {
  CertificateEntry,
  CertificateFacts,
  CertificateReport,
} from '../../diagnose/certificate-report.ts';
import { calloutId } from '../../facts/callout.ts';
import { groupBy } from '../../facts/group-by.ts';
import { listed } from '../../phrases/lists.ts';
import type { Style } from '../terminal/style.ts';
import { wrap, wrapHard } from '../terminal/wrap.ts';

const mostNames = 12;

const place = ({ source, pod, endpoint, url, secret, configMap }: CertificateEntry): string => {
  if (source === 'ca-bundle') return 'caBundle';
  if (source === 'secret') return `Secret ${secret}`;
  if (source === 'config-map') return `ConfigMap ${configMap}`;
  return `served by ${[pod, endpoint, url].filter(Boolean).join(' ')}`;
};

function about(
  facts: Partial<CertificateFacts> & Pick<CertificateFacts, 'names'>,
  style: Style,
  indent: string,
): string[] {
  const { subject, issuer, names, notBefore, notAfter, serial, sha256 } = facts;
  if (sha256 === undefined) return [];
  const lines = [
    `${subject || 'no subject'}, signed by ${issuer || 'an unnamed issuer'}`,
    ...(names.length === 0 ? [] : [`names  ${listed(names, { most: mostNames })}`]),
    `valid  ${notBefore} to ${notAfter}`,
    `serial ${serial}`,
  ];
  const deeper = `${indent}       `;
  return [
    ...lines.flatMap((line) => wrapHard(line, style.width, indent, deeper)),
    ...wrap(`sha256 ${sha256}`, style.width, indent, deeper),
  ];
}

/** Key of a certificate with its verdict: a certificate that several places contain is printed once. */
const alike = ({ source, sha256, verdict, error, chain }: CertificateEntry): string =>
  JSON.stringify([source === 'ca-bundle', sha256, verdict, error, chain.map((member) => member.sha256)]);

const entryLines = ([entry, ...others]: readonly [CertificateEntry, ...CertificateEntry[]], style: Style) => [
  ...[entry, ...others].map(
    (one) => `  ${style.paint.bold(place(one))}${one.verdict === undefined ? '' : `: ${one.verdict}`}`,
  ),
  ...about(entry, style, '    '),
  ...(entry.error === undefined ? [] : wrapHard(entry.error, style.width, '    ', '      ')),
  ...entry.chain.flatMap((member) => [`    ${style.paint.dim('then')}`, ...about(member, style, '      ')]),
];

/** Renders every certificate of every webhook, with serials, fingerprints, names and chains: `-o wide`. */
export function certificateDetails({ certificates }: CertificateReport, style: Style): string[][] {
  const byCallout = [...groupBy(certificates, ({ callout }) => calloutId(callout))];
  const sorted = byCallout.toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  return sorted.map(([id, entries]) => [
    style.paint.bold(id),
    ...[...groupBy(entries, alike).values()].flatMap((same) => entryLines(same, style)),
  ]);
}
