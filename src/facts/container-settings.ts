import type { Container } from './objects.ts';

/**
 * The flags and environment variables of a container, as names and values: `--leader-elect=true`,
 * `--leader-election-id x`, `LEADER_ELECTION=1`. A flag alone has no value.
 */
export function settings({
  command = [],
  args = [],
  env = [],
}: Container): readonly (readonly [string, string | undefined])[] {
  const words = [...command, ...args].flatMap((word) => word.split(/\s+/));
  const flags = words.flatMap((word, at): readonly (readonly [string, string | undefined])[] => {
    const flag = /^--?(?<name>[a-z][\w-]*)(?:=(?<value>.*))?$/i.exec(word)?.groups;
    if (flag?.name === undefined) return [];
    const next = words[at + 1];
    return [[flag.name, flag.value ?? (next === undefined || next.startsWith('-') ? undefined : next)]];
  });
  return [...flags, ...env.map(({ name, value }) => [name, value] as const)];
}
