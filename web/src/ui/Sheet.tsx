import type { ReactNode } from 'react'
import { Identicon } from './Identicon.tsx'

interface SheetProps {
  /** Chooses the pattern of the gold picture. */
  seed: string
  /** A picture in place of the pattern. */
  picture?: string | undefined
  title: string
  children: ReactNode
}

/** A page with one sentence and one next step: a sheet in the middle of the window, on the engraved lines. */
export function Sheet({ seed, picture, title, children }: SheetProps) {
  return (
    <div className="waves grid min-h-[calc(100dvh-9rem)] w-full place-items-center">
      <div className="grid w-full max-w-[440px] justify-items-center card px-6 py-9 text-center shadow-pop sm:px-9 sm:pb-10">
        {picture ? (
          <img src={picture} alt="" className="h-24 max-w-full object-contain" />
        ) : (
          <Identicon seed={seed} size={96} isGold />
        )}
        <h1 className="mt-5 mb-2 text-[24px]">{title}</h1>
        {children}
      </div>
    </div>
  )
}
