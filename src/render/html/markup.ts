/** HTML that needs no escaping. Only this file creates it; every other value is escaped as text. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template; undefined is nothing, a list is written without separators. */
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

/** Template tag for HTML: every value is escaped as text. Attributes must be in double quotes. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.reduce((text, string, at) => `${text}${written(parts[at - 1])}${string}`));

/** Markup from this program's own style or script, unescaped. */
export const raw = (text: string): Markup => new Markup(text);
