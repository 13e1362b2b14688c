/** Labels of a domain, the last first; undefined if it is invalid (crypto/x509 domainToReverseLabels). */
export function reversedLabels(domain: string): readonly string[] | undefined {
  if (domain === '') return [];
  const labels = domain.split('.').reverse();
  return labels.every((label) => /^[!-~]+$/.test(label)) ? labels : undefined;
}

/** @param constraint true for a constraint, which may start with a dot (crypto/x509 domainNameValid). */
export const isDomain = (text: string, constraint = false): boolean =>
  text === '' || reversedLabels(constraint && text.startsWith('.') ? text.slice(1) : text) !== undefined;
