/** What someone typed with commas or spaces between: `a.com, b.com`. */
export const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)
