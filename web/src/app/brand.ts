/** The brand name of this installation, which the server writes into `<meta name="brand">`. */
export const brandName = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content || 'Stage Passport'

/** The line of the home page before sign-in, without a text of the administrators. */
export const homeText = 'One account for everything on Stage.'

/** Formats the document title: `{title} | {brand}`, or only the brand. */
export const formatPageTitle = (title: string | undefined): string => (title ? `${title} | ${brandName}` : brandName)

const [url = '', width, height] =
  document.querySelector<HTMLMetaElement>('meta[name="brand-logo"]')?.content.split(' ') ?? []

/** The logo of this installation with the size at which the top bar shows it; undefined for the emblem of the product. */
export const brandLogo = url ? { url, width: Number(width), height: Number(height) } : undefined
