import type { ReactNode } from 'react'

/** A numbered step of a list. */
export function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className="grid size-6 shrink-0 place-items-center rounded-full border border-line bg-well text-[12px] font-[620] text-ink2"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="leading-6 font-[580]">{title}</h3>
        {children}
      </div>
    </li>
  )
}
