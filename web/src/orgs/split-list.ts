/** Splits a text at commas and spaces: `a.com, b.com`. */
export const splitList = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)
