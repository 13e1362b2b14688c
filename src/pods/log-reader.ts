import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { messageOfLine } from '../phrases/brief.ts';

/** The facts that confirm or contradict a line of a log. */
export type LogFacts = Pick<Facts, 'configurations' | 'logs' | 'pods' | 'served' | 'secrets' | 'takenAt'>;

/** A reason for which a process does not serve, by a line of its log that its objects do not contradict. */
export interface LoggedCause {
  readonly cause:
    | 'port'
    | 'limit'
    | 'architecture'
    | 'argument'
    | 'configuration'
    | 'variable'
    | 'kind'
    | 'definition'
    | 'registration'
    | 'misnamed'
    | 'removed'
    | 'unmounted'
    | 'elsewhere'
    | 'items'
    | 'keys'
    | 'absent'
    | 'unreadable'
    | 'readOnly'
    | 'token'
    | 'socket'
    | 'nodeSocket'
    | 'identity'
    | 'entry'
    | 'anyEntry'
    | 'keyPair'
    | 'encrypted'
    | 'lock'
    | 'aggregation'
    | 'review'
    | 'throttled';
  /** The port, path, kind, Secret or Pod that the message names. */
  readonly what: string;
  /** A second value of the message: a version, a mount path, the state of a Pod. */
  readonly detail: string;
  /** The ConfigMap whose file the program rejects. */
  readonly configMap?: string;
  /** The Secret that lacks a key. */
  readonly secret?: string;
}

/** A match in a line of a log, and the container that wrote it. */
export interface LoggedText {
  readonly line: string;
  /** The line, or its message alone, from the match on. */
  readonly from: string;
  /** The groups of the pattern. */
  readonly named: Readonly<Record<string, string | undefined>>;
  /** The first of these groups that matched. */
  readonly first: string;
  readonly pod: Pod;
  readonly container: string;
  readonly facts: LogFacts;
}

/** A message that names a cause. */
export interface Reader {
  readonly says: RegExp;
  /** Only in the message of a structured line. */
  readonly inMessage?: true;
  /** The cause; undefined if objects contradict the message. */
  readonly cause: (text: LoggedText) => LoggedCause | undefined;
}

/** A cause, with what its message names. */
export const found = (cause: LoggedCause['cause'], what = '', detail = ''): LoggedCause => ({
  cause,
  what,
  detail,
});

type LoggedLine = Pick<LoggedText, 'line' | 'pod' | 'container' | 'facts'>;

/** The cause that a line of a log names; undefined if the line has another message. */
export function causeIn(logged: LoggedLine, { says, inMessage, cause }: Reader): LoggedCause | undefined {
  const text = inMessage === true ? messageOfLine(logged.line) : logged.line;
  const match = says.exec(text);
  if (match === null) return undefined;
  const named = match.groups ?? {};
  const first = Object.values(named).find((one) => one !== undefined) ?? '';
  return cause({ ...logged, from: text.slice(match.index), named, first });
}
