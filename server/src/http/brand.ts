/** A picture of a brand, at its path on this server. */
interface BrandLogo {
  url: string
  /** The stored picture, in pixels. */
  width: number
  height: number
}

/** What users see as the product: on the pages of this server, in the app and in emails. */
export interface Brand {
  name: string
  /** Instead of the emblem. */
  logo: BrandLogo | undefined
  /** The path of the icon of a browser tab. */
  favicon: string | undefined
  /** The path of the style sheet with the accent colours. */
  stylesheet: string | undefined
  /** The accent colour on light and on dark, for emails. */
  accent: { light: string; dark: string } | undefined
  /** A web page or a mailto URL where users get help; undefined without a saved one. */
  supportUrl: string | undefined
  /** The contact of users, in a sentence. */
  supportContact: string
}

/** Reports whether a logo is wide, so that it contains the name. */
export const isWordmark = ({ width, height }: Pick<BrandLogo, 'width' | 'height'>): boolean => width >= 2 * height

/** The size at which a logo is shown, in CSS pixels: at most `height` high, and five times as wide. */
export function fitLogo({ width, height }: Pick<BrandLogo, 'width' | 'height'>, maxHeight: number) {
  const scale = Math.min(maxHeight / height, (maxHeight * 5) / width, 1)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}
