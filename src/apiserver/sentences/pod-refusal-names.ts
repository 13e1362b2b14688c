/** The syntax of the names of objects, without anchors. A text is not printed in a command without this. */
export const objectName = '[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?';

/** `exceeded quota: tight, requested: …`, `failed quota: tight: must specify …`. */
const quotaIn = new RegExp(`\\b(?:exceeded|failed) quota: ?(?<quota>${objectName})(?=[,:\\s]|$)`);

/** The object that does not exist: `serviceaccount "a" not found`, `no PriorityClass with name a was found`. */
const missingIn = new RegExp(
  `\\b(?:(?:serviceaccount|RuntimeClass) "(?<object>${objectName})" not found|PriorityClass with name (?<priority>${objectName})(?=\\s|$))`,
);

/** The quota and the missing object that the refusal of a Pod names; undefined if it names none. */
export function namesInRefusal(text: string): {
  readonly quota: string | undefined;
  readonly missing: string | undefined;
} {
  const { object, priority = object } = missingIn.exec(text)?.groups ?? {};
  return { quota: quotaIn.exec(text)?.groups?.quota, missing: priority };
}
