import { lazy, Suspense } from 'react'

const Image = lazy(async () => ({ default: (await import('./QrImage.tsx')).QrImage }))

/** An address as a QR code, in a place that is kept for it while what draws it is loaded. */
export function QrCode(code: { text: string; label: string }) {
  return (
    <Suspense fallback={<div className="aspect-square w-full max-w-44" />}>
      <Image {...code} />
    </Suspense>
  )
}
