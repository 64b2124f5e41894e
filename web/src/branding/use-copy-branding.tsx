import { toPicturePath } from '@passport/contract/brand-values'
import type { Branding } from '@passport/contract/branding'
import { useQuery } from '@tanstack/react-query'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import type { MenuItem } from '../ui/Menu.tsx'

/** Returns the menu item that copies the branding with its pictures in the format of the directory file. */
export function useCopyBranding({ name, logo, favicon, accent, supportUrl }: Branding): MenuItem | undefined {
  const logoUrl = usePicture(logo)
  const faviconUrl = usePicture(favicon)
  const isLoaded = (logo === null || logoUrl) && (favicon === null || faviconUrl)
  return useCopyAsConfig(
    isLoaded ? { branding: { name, logo: logoUrl, favicon: faviconUrl, accent, supportUrl } } : undefined,
  )
}

/**
 * Returns a stored picture as a data URL, null until it is loaded. It is loaded in advance: browsers allow copying only
 * directly after a press.
 */
function usePicture(hash: string | null): string | null {
  // `useQueries` would add a kilobyte to every first visit.
  const picture = useQuery({
    queryKey: ['brand-picture', hash],
    queryFn: () => readPicture(hash ?? ''),
    enabled: hash !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return picture.data ?? null
}

/** Returns a stored picture as a data URL. */
async function readPicture(hash: string): Promise<string> {
  const response = await fetch(toPicturePath(hash))
  if (!response.ok) throw new Error(`The picture could not be loaded: ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return `data:image/png;base64,${btoa(text)}`
}
