import type { ReactNode } from 'react'
import { SupportLine } from '../app/SupportLine.tsx'
import { Identicon } from '../ui/Identicon.tsx'

/** The sheet of the pages between AWS Marketplace and a subscription, with the support contact below. */
export function BuyerFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="w-full max-w-[460px]">
      <div className="card px-6 py-8">
        <div className="grid justify-items-center text-center">
          <Identicon seed="marketplace" size={64} isGold />
          <h1 className="mt-4 break-words">{title}</h1>
        </div>
        {children}
      </div>
      <SupportLine />
    </div>
  )
}

/** The sentence below the title. */
export const Lead = ({ children, role }: { children: ReactNode; role?: 'alert' | 'status' }) => (
  <p role={role} className="mt-2 text-center text-ink2 [overflow-wrap:anywhere]">
    {children}
  </p>
)
