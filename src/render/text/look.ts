/** Width and character set of the output. */
export interface Look {
  /** Columns; at least 60 are recommended. */
  readonly width: number;
  readonly colour: boolean;
  /** False if the locale is not UTF-8: the output is ASCII then. */
  readonly unicode: boolean;
}

/** How much of a report is printed. */
export interface ReportLook extends Look {
  /** `-o wide`: also all evidence, Pods and reasons. */
  readonly wide: boolean;
  /** `--all`: also healthy webhooks, and complete lists. */
  readonly all: boolean;
  /**
   * `--details`: every broken webhook and all findings in full. Undefined: the worst three webhooks, abbreviated
   * if there are several.
   */
  readonly details?: boolean;
  /** The command names webhooks: they are printed in full, even if healthy. */
  readonly named?: boolean;
  /** Duration of the run in milliseconds. */
  readonly tookMs?: number;
}

/** True if everything is printed: complete lists, all evidence and all findings. */
export const isComplete = ({ all, wide, details }: ReportLook): boolean => all || wide || details === true;
