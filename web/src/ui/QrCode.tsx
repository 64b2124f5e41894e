import { Suspense } from 'react'
import { lazyPart } from './lazy-part.tsx'

const Image = lazyPart(async () => (await import('./QrImage.tsx')).QrImage)

/** A URL as a QR code; reserves its space while the encoder loads. */
export function QrCode(code: { text: string; label: string }) {
  return (
    <Suspense fallback={<div className="aspect-square w-full max-w-44" />}>
      <Image {...code} />
    </Suspense>
  )
}
