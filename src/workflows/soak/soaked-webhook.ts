import { type AdmissionCallout, type Callout, calloutId, isAdmission } from '../../facts/callout.ts';
import { isReadOf, type Unread, unreadText } from '../../facts/unread.ts';
import { chooseCallouts } from '../choose-callouts.ts';
import { CannotStart } from '../with-cluster.ts';

const harmless: readonly (string | undefined)[] = ['None', 'NoneOnDryRun'];

const lists = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations', 'namespaces'];

/** A line for each read that decides which object is sent, and failed. */
export const unseenText = (failed: readonly Unread[]): readonly string[] =>
  failed
    .filter((unread) => isReadOf(unread, lists))
    .map((unread) => `It could not look at ${unreadText(unread)}: ${unread.detail ?? unread.why}`);

/** The one webhook of that name. Throws CannotStart where it is none, or may not be asked in a dry run. */
export function soakedWebhook(
  callouts: readonly Callout[],
  name: string,
  failed: readonly Unread[],
): AdmissionCallout {
  const named = chooseCallouts(callouts, [name], [], failed);
  const unseen = unseenText(failed);
  if (named.length === 0 && unseen.length > 0)
    throw new CannotStart(`whether there is a webhook ${name} could not be looked at`, unseen.join('\n'));
  const [first, ...others] = named.filter(isAdmission);
  if (first === undefined)
    throw new CannotStart(
      `${name} is no webhook: only requests to webhooks of admission can be sent as dry runs`,
    );
  if (others.length > 0)
    throw new CannotStart(
      `"${name}" has ${others.length + 1} webhooks; name one of them`,
      `It has: ${[first, ...others].map(calloutId).join(', ')}`,
    );
  if (!harmless.includes(first.sideEffects))
    throw new CannotStart(
      `${calloutId(first)} declares side effects (${first.sideEffects ?? 'none given'}): it cannot be asked in a dry run`,
    );
  return first;
}
