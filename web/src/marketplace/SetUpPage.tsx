import type { ApiError } from '@passport/contract/call'
import { type AwsRegistration, listAwsRegistrations, validateAwsBuyer } from '@passport/contract/marketplace'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { formatSignInUrl } from '../app/return-url.ts'
import { buttonClass } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { BuyerFrame, Lead } from './BuyerFrame.tsx'
import { type Redeemed, RedeemForm } from './RedeemForm.tsx'
import { RedeemResult } from './RedeemResult.tsx'

/** The page to which AWS Marketplace leads a buyer: sign in, choose an organisation, done. */
export function SetUpPage() {
  const { registration: requested } = useSearch({ strict: false }) as { registration?: unknown }
  const user = useCurrentUser()
  const [redeemed, setRedeemed] = useState<Redeemed>()
  const registrations = useQuery({ ...query(listAwsRegistrations, {}), staleTime: Number.POSITIVE_INFINITY })
  if (redeemed) return <RedeemResult {...redeemed} />
  if (!registrations.data)
    return (
      <BuyerFrame title="Set up your subscription">
        <div className="mt-4">
          {registrations.error ? (
            <ErrorCard failure={toFailure(registrations.error)} onRetry={() => void registrations.refetch()} />
          ) : (
            <Skeleton label="Loading your purchase" rows={4} />
          )}
        </div>
      </BuyerFrame>
    )
  const registration =
    requested === undefined
      ? registrations.data[0]
      : registrations.data.find(({ registrationId }) => registrationId === requested)
  if (!registration)
    return (
      <BuyerFrame title="No purchase to set up">
        <Lead role="alert">
          A purchase can be set up for four hours, in the browser in which you came from AWS. Return to AWS Marketplace
          and select “Set up your account”.
        </Lead>
      </BuyerFrame>
    )
  return (
    <BuyerFrame title="Set up your subscription">
      <Purchase registration={registration} />
      {user ? (
        <Redeem registration={registration} onRedeemed={setRedeemed} />
      ) : (
        <>
          <p className="mt-5 text-center text-ink2">Sign in or create your account to finish.</p>
          <a
            className={`${buttonClass('primary')} mt-4 h-11 w-full`}
            href={formatSignInUrl(`/app/account/marketplace?registration=${registration.registrationId}`)}
          >
            Continue
          </a>
        </>
      )}
    </BuyerFrame>
  )
}

const Purchase = ({ registration }: { registration: AwsRegistration }) => (
  <dl className="mt-5 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 rounded-box border border-line bg-well px-4 py-3">
    <dt className="text-ink2">Product</dt>
    <dd className="min-w-0 text-right font-[560] break-words">{registration.product.name}</dd>
    <dt className="text-ink2">AWS account</dt>
    <dd className="text-right tabular-nums">ending in {registration.customerAwsAccountId.slice(-4)}</dd>
    {registration.offerType === 'free-trial' && (
      <>
        <dt className="text-ink2">Offer</dt>
        <dd className="text-right">Free trial</dd>
      </>
    )}
  </dl>
)

interface RedeemProps {
  registration: AwsRegistration
  onRedeemed: (redeemed: Redeemed) => void
}

/** The form, once the registration is reserved for the user. */
function Redeem({ registration: { registrationId }, onRedeemed }: RedeemProps) {
  const { sub = '' } = useCurrentUser()?.claims ?? {}
  const validation = useQuery({
    queryKey: [validateAwsBuyer.path, registrationId, sub],
    queryFn: () => call(validateAwsBuyer, { body: { registrationId } }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  if (validation.error) {
    const code = (validation.error as ApiError).problem?.code
    if (code === 'registration-taken') return <Notice>Another user has begun to set up this purchase.</Notice>
    return (
      <div className="mt-5">
        <ErrorCard failure={toFailure(validation.error)} onRetry={() => void validation.refetch()} />
      </div>
    )
  }
  if (!validation.data)
    return (
      <div className="mt-4">
        <Skeleton label="Loading your organisations" rows={4} />
      </div>
    )
  const { valid, existingSubscription } = validation.data
  if (!valid)
    return (
      <Notice>
        {existingSubscription?.org
          ? `This subscription belongs to ${existingSubscription.org.name} already.`
          : 'This subscription is in use already, by an organisation that you do not belong to.'}
      </Notice>
    )
  return <RedeemForm validation={validation.data} onRedeemed={onRedeemed} />
}

const Notice = ({ children }: { children: ReactNode }) => (
  <>
    <Lead role="alert">{children}</Lead>
    <Link className={`${buttonClass()} mt-6 h-11 w-full`} to="/">
      Go to the home page
    </Link>
  </>
)
