/** Text that is markup already. Made here only: everything else is text, and is escaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Markup | string | number | undefined | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function written(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(written).join('');
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** HTML with every value in it as text; attributes have to stand in double quotes. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.reduce((text, string, at) => `${text}${written(parts[at - 1])}${string}`));

/** Style and script of ours, as they stand. */
export const raw = (text: string): Markup => new Markup(text);
