import type { CallCause } from './call-error.ts';
import type { CausePattern } from './cause-pattern.ts';
import { networkCauses } from './network-causes.ts';
import { resolverCauses } from './resolver-causes.ts';
import { responseCauses } from './response-causes.ts';
import { otherTrustCause, trustCauses } from './trust-causes.ts';

const causes: readonly CausePattern[] = [
  ...trustCauses,
  ...resolverCauses,
  ...networkCauses,
  ...responseCauses,
  otherTrustCause,
];

/** `dial tcp [2001:db8::1]:443`, `read tcp 192.0.2.1:5000->198.51.100.7:8443`: the far end. */
const farEnd = /(?:dial tcp |->)(?:\[(?<ip6>[0-9a-fA-F:.%\w]+)\]|(?<ip>[^\s:[\]]+)):(?<port>\d+)/;

function addressIn(text: string): Pick<CallCause, 'address' | 'port'> {
  const groups = farEnd.exec(text)?.groups;
  if (groups === undefined) return {};
  return { address: groups.ip6 ?? groups.ip ?? '', port: Number(groups.port) };
}

const textFields = ['service', 'host', 'resolver', 'wanted', 'hint', 'authority', 'bound', 'alert'] as const;

function fieldsOf(groups: Readonly<Record<string, string | undefined>>): Partial<CallCause> {
  const status = groups.status ?? groups.badStatus;
  const texts = textFields.flatMap((name) => {
    const value = groups[name]?.trim();
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(texts),
    ...(groups.port === undefined ? {} : { port: Number(groups.port) }),
    ...(groups.portCharacter === undefined ? {} : { port: groups.portCharacter.codePointAt(0) }),
    ...(groups.names === undefined ? {} : { names: groups.names.split(', ') }),
    ...(status === undefined ? {} : { status: Number(status) }),
  };
}

/** The family that these last words belong to; undefined when none does. */
export function findCause(text: string): CallCause | undefined {
  for (const { kind, pattern, symptom } of causes) {
    const found = pattern.exec(text);
    if (found === null) continue;
    return { kind, symptom, text, ...addressIn(text), ...fieldsOf(found.groups ?? {}) };
  }
  return undefined;
}
