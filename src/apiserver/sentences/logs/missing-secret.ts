/** The error of a program that reads its Secret from the API server: apimachinery NewNotFound. */
const notFound = /\bsecrets? \\*"(?<name>[a-z0-9.-]*(?:cert|tls|ssl)[a-z0-9.-]*)\\*" not found/i;

/** The name of a Secret with a certificate that a program does not find, by a line of its log. */
export const missingSecretIn = (line: string): string | undefined => notFound.exec(line)?.groups?.name;
