import type { Check } from './check.ts';

/** Every check, in the order in which a call passes the links of the chain. The table of contents of the product. */
export const catalogue: readonly Check[] = [];
