import type { CallError } from './call-error.ts';
import { findCause } from './find-cause.ts';

/** `Post "URL": ` and everything before it. */
const beforeTheCause =
  /^.*?(?:(?<sent>(?:Post|Get|Put):? "?https:\/\/[^\s"]+"?\s?: )|failed to call webhook: |webhook "[^"]*": |could not get REST client: )/i;

/** What is left of a text that was cut before it told the cause. */
const cut =
  /^(?:failed to call webhook|failing or missing response from)?\s*(?:Post|Get)?\s*(?:"?https:\/\/\S*)?$/i;

/** A status text right behind the URL is no answer of a webhook, that has no `Post "…"`: a proxy refused the tunnel. */
const refusedTunnel =
  /^(?:Forbidden|Service Unavailable|Bad Gateway|Gateway Time-?out|Proxy Authentication Required)\b/;

/** The cause of a call's end, from what stands behind the webhook's name or the URL. */
export function lastWords(rest: string): Pick<CallError, 'cause'> {
  let words = rest;
  let sent = false;
  for (let prefix = beforeTheCause.exec(words); prefix !== null; prefix = beforeTheCause.exec(words)) {
    sent = prefix.groups?.sent !== undefined;
    words = words.slice(prefix[0].length);
  }
  if (sent && refusedTunnel.test(words)) return { cause: { kind: 'proxy', symptom: 'proxy', text: words } };
  const cause = findCause(words) ?? findCause(rest);
  if (cause !== undefined) return { cause };
  const said = words.replace(/^[":;,.\s]+$/, '');
  return cut.test(said) ? {} : { cause: { kind: 'other', symptom: 'other', text: said } };
}
