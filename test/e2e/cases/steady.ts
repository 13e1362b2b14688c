/** Kubernetes makes random names from these (apimachinery/pkg/util/rand). */
const safe = '[bcdfghjklmnpqrstvwxz2456789]';
const ofDeployment = new RegExp(`-(${safe}{8,10})-(${safe}{5})\\b`, 'g');

/** Replaces each found text by the same word, in the order of their appearance: `aaaaa`, `bbbbb`. */
function numbered(): (found: string) => string {
  const seen = new Map<string, string>();
  return (found) => {
    const known = seen.get(found) ?? 'bcdfghjklm'[seen.size % 10]?.repeat(5) ?? '';
    seen.set(found, known);
    return known;
  };
}

/** The text without the parts that differ between runs: random names, addresses, times. */
export function steady(text: string, masks: ReadonlyMap<string, string>): string {
  const pod = numbered();
  const named = [...masks].reduce((masked, [real, shown]) => masked.replaceAll(real, shown), text);
  return named
    .replace(/^\S+ · v1\./gm, 'prod · v1.')
    .replace(ofDeployment, (_all, _hash, own: string) => `-6d4cf56db6-${pod(own)}`)
    .replace(new RegExp(`\\b(ReplicaSet \\S*?)-${safe}{8,10}\\b`, 'g'), '$1-6d4cf56db6')
    .replace(/\b203\.0\.113\.\d+/g, '203.0.113.80')
    .replace(/\b198\.51\.100\.\d+/g, '198.51.100.21')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g, '2026-01-01T12:00:00Z')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?!:)/g, '2026-01-31T12:00')
    .replace(/\b20\d\d-\d\d-\d\d\b(?!T)/g, '2026-01-31')
    .replace(/\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, '20260101-120000-c0ffee')
    .replace(/\b[0-9a-f]{64}\b/g, 'c0ffee00'.repeat(8))
    .replace(/\b\d+\.\d s\b/g, '1.0 s')
    .replace(/(?<=\s)(\d+m)?\d+s(?=\s|$)/gm, '9s')
    .replace(/[ \t]+$/gm, '');
}
