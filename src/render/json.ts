import { escapeForJson } from './escape-invisible.ts';

/** One JSON document: true values, and nothing that a terminal would obey. Ends with a line feed. */
export const renderJson = (document: object): string =>
  `${escapeForJson(JSON.stringify(document, null, 2))}\n`;
