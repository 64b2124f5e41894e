/** What the product calls itself on this installation: the server writes it into the document. */
export const brandName = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content || 'Stage Passport'

/** The title of the window: `{title} | {brand}`, or the brand alone. */
export const windowTitle = (title: string | undefined): string => (title ? `${title} | ${brandName}` : brandName)
