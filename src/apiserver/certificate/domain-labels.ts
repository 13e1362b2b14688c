/** Labels of a domain from the last to the first, or undefined where it is none (crypto/x509 domainToReverseLabels). */
export function reversedLabels(domain: string): readonly string[] | undefined {
  if (domain === '') return [];
  const labels = domain.split('.').reverse();
  return labels.every((label) => /^[!-~]+$/.test(label)) ? labels : undefined;
}

/** @param constraint a constraint may begin with a full stop (crypto/x509 domainNameValid). */
export const isDomain = (text: string, constraint = false): boolean =>
  text === '' || reversedLabels(constraint && text.startsWith('.') ? text.slice(1) : text) !== undefined;
