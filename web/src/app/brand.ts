/** The brand name of this installation, which the server writes into `<meta name="brand">`. */
export const brandName = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content || 'Stage Passport'

/** Formats the document title: `{title} | {brand}`, or only the brand. */
export const formatPageTitle = (title: string | undefined): string => (title ? `${title} | ${brandName}` : brandName)
