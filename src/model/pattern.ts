/** How a pattern is to be read; the same words as ripgrep's flags. */
export interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** The pattern is plain text. */
  readonly literal?: boolean;
  /** Only matches with no word character on either side. */
  readonly wholeWords?: boolean;
}

/** A stretch of one line that matches; UTF-16 offsets, end exclusive. */
export interface MatchSpan {
  readonly start: number;
  readonly end: number;
}
