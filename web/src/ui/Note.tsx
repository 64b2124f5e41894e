import type { ReactNode } from 'react'

interface NoteProps {
  icon: ReactNode
  title: string
  /** Something is going on. */
  isActive?: boolean
  children: ReactNode
}

/** A state of the consent, with its picture. */
export const Note = ({ icon, title, isActive = false, children }: NoteProps) => (
  <div className={`flex gap-3 rounded-ctl p-3.5 ${isActive ? 'bg-selection' : 'bg-well'}`}>
    <span aria-hidden="true" className="mt-px shrink-0">
      {icon}
    </span>
    <div className="min-w-0">
      <p className="font-[620]">{title}</p>
      <p className="text-[13px] text-ink2 [overflow-wrap:anywhere]">{children}</p>
    </div>
  </div>
)
