import { type DeveloperTokensClient, getDeveloperTokensClient } from '@passport/contract/developer-tokens'
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { query } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { toFailure } from './failure.ts'
import { GenerateCard } from './GenerateCard.tsx'
import { useSignin } from './use-signin.ts'

const YourTokenCard = lazyPart(async () => (await import('./YourTokenCard.tsx')).YourTokenCard)
const ValidationCard = lazyPart(async () => (await import('./ValidationCard.tsx')).ValidationCard)
const GuidesCard = lazyPart(async () => (await import('./GuidesCard.tsx')).GuidesCard)
const UseCard = lazyPart(async () => (await import('./UseCard.tsx')).UseCard)
const ValidTokensCard = lazyPart(async () => (await import('./ValidTokensCard.tsx')).ValidTokensCard)

/** Generates a token that is valid for an hour, shows its claims, and validates it as an API would. */
export function DeveloperTokensPage() {
  // Loaded once: changed settings would interrupt a running sign-in.
  const { data, isPending } = useQuery({ ...query(getDeveloperTokensClient, {}), staleTime: Number.POSITIVE_INFINITY })
  if (isPending) return <TokensPlaceholder />
  if (!data) return <NotAvailable />
  return <Tokens settings={data} />
}

function Tokens({ settings }: { settings: DeveloperTokensClient }) {
  const { signin, generate, clear } = useSignin(settings)
  const generateButton = useRef<HTMLButtonElement>(null)
  if (!signin) return <TokensPlaceholder />
  const { user, failure, isLeaving } = signin
  const token = user?.access_token
  async function clearAndFocus() {
    await clear()
    generateButton.current?.focus()
  }
  return (
    <div>
      <h1>Developer tokens</h1>
      <p className="mt-1 text-ink2">This page generates temporary API tokens for development.</p>
      <Caution />
      {failure !== undefined && (
        <div className="mt-6">
          <ErrorCard failure={toFailure(failure)} onRetry={generate} />
        </div>
      )}
      <div className="mt-4 grid gap-4">
        {user && token && (
          <Suspense fallback={<div className="skeleton h-[270px] rounded-box" />}>
            <YourTokenCard user={user} token={token} onClear={clearAndFocus} />
          </Suspense>
        )}
        {token && (
          <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_440px]">
            <Suspense fallback={<div className="skeleton h-[345px] rounded-box" />}>
              <UseCard key={token} token={token} origin={settings.authority} />
            </Suspense>
            <Suspense fallback={<div className="skeleton h-[345px] rounded-box" />}>
              <ValidationCard token={token} authority={settings.authority} />
            </Suspense>
          </div>
        )}
        <GenerateCard
          scope={settings.scope}
          hasSteps={!token}
          isBusy={isLeaving}
          onGenerate={generate}
          buttonRef={generateButton}
        />
        {!token && (
          <Suspense fallback={<div className="skeleton h-[106px] rounded-box" />}>
            <GuidesCard />
          </Suspense>
        )}
        <Suspense>
          <ValidTokensCard />
        </Suspense>
      </div>
    </div>
  )
}

function Caution() {
  return (
    <p
      role="note"
      className="mt-4 flex gap-2.5 rounded-box border border-line border-l-3 border-l-warn bg-card px-4 py-2.5 sm:px-[15px]"
    >
      <TriangleAlert size={17} strokeWidth={1.75} aria-hidden="true" className="mt-0.5 shrink-0 text-warn" />
      <span>
        <strong className="font-[620] text-warn">Caution.</strong> A token grants access to your account and other
        services. It must not be shared and must be stored safely.
      </span>
    </p>
  )
}

/** The placeholders of the heading and two cards. */
function TokensPlaceholder() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading</span>
      <div className="skeleton h-7 w-56 max-w-full" />
      <div className="skeleton mt-6 h-56 rounded-box" />
      <div className="skeleton mt-6 h-40 rounded-box" />
    </div>
  )
}

/**
 * The page if dev tokens are not available (specification, section 7). The text is a heading, so that the page has one.
 */
function NotAvailable() {
  return (
    <div role="alert">
      <h1 className="text-[15px] font-[560] tracking-normal">Dev tokens not available on this stack</h1>
    </div>
  )
}
