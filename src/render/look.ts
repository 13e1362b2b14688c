/** What a text may use of the place it is printed to. */
export interface Look {
  /** Columns; 60 and more look good. */
  readonly width: number;
  readonly colour: boolean;
  /** False where the locale is not UTF-8: the output is ASCII then. */
  readonly unicode: boolean;
}

/** How much of a report is told. */
export interface ReportLook extends Look {
  /** `-o wide`: every piece of evidence, the replicas and the reasons too. */
  readonly wide: boolean;
  /** `--all`: healthy callouts are listed, and no list is cut short. */
  readonly all: boolean;
  /** `--details`, or what was named: every break in full. Absent: the worst three, in short where there are several. */
  readonly details?: boolean;
  /** Somebody named what is told: healthy callouts are told, too. */
  readonly named?: boolean;
  /** How long the whole run took, in milliseconds. */
  readonly tookMs?: number;
}
