import { listConnectors, metaHorizon } from '@passport/contract/connections'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { formatSignInUrl } from '../app/return-url.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Identicon } from '../ui/Identicon.tsx'

/** The connector of the page and its name, once that is known; `name` is null for one that is not configured. */
export function useConnector(): { id: string; name: string | null | undefined } {
  const { connector: id = '' } = useParams({ strict: false })
  const { data } = useQuery({ ...query(listConnectors, {}), staleTime: 60_000 })
  return { id, name: data && (data.find((connector) => connector.id === id)?.name ?? null) }
}

interface ConnectFrameProps {
  title: string
  /** The name of the service, beside the seal of Passport. */
  service?: string | null | undefined
  children: ReactNode
}

/** The sheet of the pages that connect an account. */
export function ConnectFrame({ title, service, children }: ConnectFrameProps) {
  return (
    <div className="grid w-full max-w-[460px] justify-items-center card px-6 py-9 text-center">
      <div aria-hidden="true" className="flex h-[72px] items-center gap-3">
        <Identicon seed="connect" size={72} isGold />
        {service && (
          <>
            <span className="w-12 border-t border-dashed border-edge" />
            <span className="grid size-[60px] place-items-center rounded-full border border-line bg-well text-[24px] font-[600] text-ink2">
              {service.slice(0, 1)}
            </span>
          </>
        )}
      </div>
      <h1 className="mt-5 break-words">{title}</h1>
      {children}
    </div>
  )
}

/** The sentence below the title. */
export const Lead = ({ children, role }: { children: ReactNode; role?: 'alert' | 'status' }) => (
  <p role={role} className="mt-2 text-ink2 [overflow-wrap:anywhere]">
    {children}
  </p>
)

/** A row of buttons below the text, the main one first; they fill narrow screens. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className="mt-6 flex w-full flex-col gap-2 *:h-11 sm:flex-row-reverse sm:*:flex-1">{children}</div>
)

export const LoginsLink = ({ children = 'Cancel' }: { children?: ReactNode }) => (
  <Link className={buttonClass()} to="/account/logins">
    {children}
  </Link>
)

/** Returns to a page without a response, which a sign-in would carry along. */
export const SignInLink = ({ returnTo }: { returnTo: string }) => (
  <a className={`${buttonClass('primary')} mt-6 h-11 w-full`} href={formatSignInUrl(returnTo)}>
    Sign in to connect
  </a>
)

/** A service that is not configured. */
export const NotAvailable = ({ id }: { id: string }) => (
  <ConnectFrame title="Not available">
    <Lead>
      {id === metaHorizon ? 'Connecting a Meta Horizon account' : 'Connecting this service'} is not available on this
      stack.
    </Lead>
    <Actions>
      <LoginsLink>Go to your account</LoginsLink>
    </Actions>
  </ConnectFrame>
)
