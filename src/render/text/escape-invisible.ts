/** The character set of harmless.ts except line feeds, which documents need for their layout. */
const invisible =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const everyInvisible = new RegExp(invisible.source, 'gu');

/** Whether text contains a character that a terminal obeys or a reader cannot see. */
export const hasInvisible = (text: string): boolean => invisible.test(text);

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** Fast pre-check: most documents have megabytes of text without such a character. */
const suspicious = /[^\n -~]/;

/** Writes such characters as `\uXXXX`, one per UTF-16 unit: in strings of JSON, the value stays the same. */
export const escapeForJson = (json: string): string =>
  suspicious.test(json)
    ? json.replace(everyInvisible, (character) =>
        Array.from(
          { length: character.length },
          (_, unit) => `\\u${hex(character.charCodeAt(unit), 4)}`,
        ).join(''),
      )
    : json;

/**
 * Writes such characters as `\uXXXX` or `\UXXXXXXXX`. Only valid inside double quotes of YAML (1.2, §5.7),
 * with the same value.
 */
export const escapeForYaml = (yaml: string): string =>
  yaml.replace(everyInvisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
