import { discover } from '@passport/contract/discovery'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
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

function SupportLine() {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  // The height is kept while the contact loads.
  return (
    <p className="mt-4 min-h-5 text-center text-[13px] text-ink3 [overflow-wrap:anywhere]">
      {data && `Questions? Contact ${data.supportContact}.`}
    </p>
  )
}
