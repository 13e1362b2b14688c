import { type Check, type Finding, messageText } from '../checks/check.ts';

/** The message of a finding with its data filled in. */
export function messageOf({ messageId, data }: Finding, { meta }: Check): string {
  const text = messageText(meta.messages[messageId] ?? '');
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(data[name] ?? placeholder));
}
