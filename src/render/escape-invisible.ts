/** The set of harmless.ts without line feeds, which lay a document out. */
const invisible =
  /[\0-\x09\x0b-\x1f\x7f-\x9f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const everyInvisible = new RegExp(invisible.source, 'gu');

/** True for text that a terminal or a reader could take for something else. */
export const hasInvisible = (text: string): boolean => invisible.test(text);

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** What may be such a character: most documents are megabytes without one. */
const suspicious = /[^\n -~]/;

/** Such characters as `\uXXXX`, one per UTF-16 unit: the same value inside a string of JSON; elsewhere none can stand. */
export const escapeForJson = (json: string): string =>
  suspicious.test(json)
    ? json.replace(everyInvisible, (character) =>
        Array.from(
          { length: character.length },
          (_, unit) => `\\u${hex(character.charCodeAt(unit), 4)}`,
        ).join(''),
      )
    : json;

/** Such characters as `\uXXXX` or `\UXXXXXXXX`: the same value inside double quotes of YAML (1.2, §5.7) and only there. */
export const escapeForYaml = (yaml: string): string =>
  yaml.replace(everyInvisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
