/** Formats “1 relationship”, “1,204 relationships”; the plural is formed with “s”. */
export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
