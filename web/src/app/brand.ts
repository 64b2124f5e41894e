/** The product name of this installation; the server writes it into the document. */
export const brandName = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content || 'Stage Passport'

/** Returns the window title: `{title} | {brand}`, or only the brand. */
export const formatPageTitle = (title: string | undefined): string => (title ? `${title} | ${brandName}` : brandName)
