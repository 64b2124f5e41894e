import type { CreatedSetupLink, SetupLink } from '@passport/contract/setup'
import * as api from '@passport/contract/setup'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { brandName } from '../app/brand.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm, Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status, type Tone } from '../ui/Status.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { writeSetupMail } from './mail.ts'

const pollMs = 5000
const isLive = ({ status }: SetupLink) => status === 'open' || status === 'opened'

interface SetupLinksProps {
  org: { id: string; name: string }
  /** An administrator, or else an owner of the organisation. */
  isAdmin: boolean
}

/** The set-up links of an organisation: sends one, and shows who opened it. */
export function SetupLinks({ org, isAdmin }: SetupLinksProps) {
  const [create, list, revoke] = isAdmin
    ? [api.createSetupLink, api.listSetupLinks, api.revokeSetupLink]
    : ([api.createOwnSetupLink, api.listOwnSetupLinks, api.revokeOwnSetupLink] as const)
  const params = { orgId: org.id }
  const queryClient = useQueryClient()
  const [created, setCreated] = useState<CreatedSetupLink>()
  const [revokingId, setRevokingId] = useState<string>()
  const links = useQuery({
    ...query(list, { params }),
    // Until a browser opens it, and while that uses it.
    refetchInterval: ({ state }) => (state.data?.some(isLive) ? pollMs : false),
  })
  const reload = () => queryClient.invalidateQueries({ queryKey: [list.path] })
  const creation = useMutation({
    mutationFn: () => call(create, { params }),
    onSuccess: (link) => {
      setCreated(link)
      void reload()
    },
    onError: (error) => {
      if (!(error instanceof Cancelled)) reportFailure('create a set-up link', error)
    },
  })
  const revocation = useMutation({
    mutationFn: ({ linkId, withScimTokens }: Revocation) =>
      call(revoke, { params: { ...params, linkId }, query: { withScimTokens: String(withScimTokens) } }),
    onSuccess: ({ scimTokens }, { withScimTokens }) =>
      reportSuccess(
        withScimTokens && scimTokens.length > 0 ? 'Set-up link and its SCIM tokens revoked' : 'Set-up link revoked',
      ),
    onError: (error) => reportFailure('revoke the link', error),
    onSettled: () => {
      setRevokingId(undefined)
      return reload()
    },
  })
  const { data, error } = links
  const live = data?.filter(isLive) ?? []
  return (
    <Card
      title="Set-up link"
      description="An administrator of the customer connects the tenant, its groups and provisioning by themselves. They need no account here."
      action={
        <Button
          isSmall
          // For administrators, the wizard is the first choice.
          variant={live.length === 0 && !isAdmin ? 'primary' : 'plain'}
          isBusy={creation.isPending}
          disabled={live.length >= api.maxSetupLinks}
          onClick={() => creation.mutate()}
        >
          <Send size={15} /> Send a set-up link
        </Button>
      }
    >
      {error && <ErrorCard failure={toFailure(error)} onRetry={() => void links.refetch()} />}
      {!data && !error && <Skeleton label="Loading set-up links" rows={1} />}
      <ul>
        {data?.map((link) => (
          <LinkRow key={link.id} link={link} onRevoke={() => setRevokingId(link.id)} />
        ))}
      </ul>
      <CreatedDialog org={org} link={created} onClose={() => setCreated(undefined)} />
      <RevokeDialog
        key={revokingId}
        link={data?.find(({ id }) => id === revokingId)}
        isBusy={revocation.isPending}
        onConfirm={revocation.mutate}
        onClose={() => setRevokingId(undefined)}
      />
    </Card>
  )
}

interface Revocation {
  linkId: string
  withScimTokens: boolean
}

const liveTokens = ({ scimTokens }: SetupLink) => scimTokens.filter(({ state }) => state === 'live')

interface RevokeDialogProps {
  link: SetupLink | undefined
  isBusy: boolean
  onConfirm: (revocation: Revocation) => void
  onClose: () => void
}

/** Asks for confirmation, and whether the SCIM tokens that the browser created end with the link. */
function RevokeDialog({ link, isBusy, onConfirm, onClose }: RevokeDialogProps) {
  const [isWithTokens, setIsWithTokens] = useState(true)
  const tokens = link ? liveTokens(link) : []
  return (
    <Confirm
      isOpen={link !== undefined}
      title="Revoke the set-up link?"
      action="Revoke link"
      isBusy={isBusy}
      onConfirm={() => link && onConfirm({ linkId: link.id, withScimTokens: isWithTokens })}
      onClose={onClose}
    >
      {link?.opened ? (
        <>
          <p>
            The browser that opened it loses its access now.
            {link.hasChangedSettings && ' The mappings to groups that it changed stay.'}
          </p>
          {tokens.length > 0 && (
            <>
              <Check
                checked={isWithTokens}
                onChange={({ target }) => setIsWithTokens(target.checked)}
                className="mt-2 text-ink"
              >
                Also revoke the SCIM {tokens.length === 1 ? 'token' : 'tokens'} that it created
              </Check>
              <ul className="ml-6.5 text-[13px]">
                {tokens.map(({ id, name, start, lastUse }) => (
                  <li key={id} className="[overflow-wrap:anywhere]">
                    {name} <code className="font-mono">{start}…</code>,{' '}
                    {lastUse ? (
                      <>
                        last used <RelativeTime at={lastUse.at} inSentence />
                      </>
                    ) : (
                      'never used'
                    )}
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      ) : (
        "It can't be opened any more."
      )}
    </Confirm>
  )
}

const states: Record<SetupLink['status'], [Tone, label: string]> = {
  open: ['waiting', 'Not opened'],
  opened: ['ok', 'In use'],
  expired: ['off', 'Expired'],
  revoked: ['off', 'Revoked'],
  ended: ['off', 'Ended'],
}

function LinkRow({ link, onRevoke }: { link: SetupLink; onRevoke: () => void }) {
  const { status, opened, createdBy, createdAt, expiresAt, endedAt } = link
  const [tone, label] = states[status]
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-2 border-t border-hair px-4 py-3 sm:px-[18px]">
      <div className="min-w-0 flex-1 basis-64 leading-snug">
        <p>
          {opened ? (
            <>
              Opened <RelativeTime at={opened.at} inSentence /> with{' '}
              {[opened.userAgent.browser, opened.userAgent.os].filter(Boolean).join(' on ')} from {opened.ip}
            </>
          ) : (
            'Nobody opened it'
          )}
        </p>
        <p className="text-[13px] text-ink3">
          Created by {createdBy.name} <RelativeTime at={createdAt} inSentence />
          {isLive(link) && (
            <>
              {' '}
              · expires <RelativeTime at={expiresAt} inSentence />
            </>
          )}
          {endedAt && (
            <>
              {' '}
              · ended <RelativeTime at={endedAt} inSentence />
            </>
          )}
        </p>
      </div>
      <Status tone={tone}>{label}</Status>
      {isLive(link) && (
        <Button isSmall variant="danger" onClick={onRevoke}>
          Revoke…
        </Button>
      )}
    </li>
  )
}

interface CreatedDialogProps {
  org: { name: string }
  link: CreatedSetupLink | undefined
  onClose: () => void
}

/** The new link, which is shown once. */
function CreatedDialog({ org, link, onClose }: CreatedDialogProps) {
  const mail = link ? writeSetupMail(org.name, link, brandName) : ''
  return (
    <Dialog isOpen={link !== undefined} onClose={onClose} title={`Set-up link for ${org.name}`} className="w-[520px]">
      <div className="mt-2 grid gap-4">
        <p className="text-ink2">
          Copy the link now. It won't be shown again. It works in the first browser that opens it, for 24 hours.
        </p>
        <div className="flex items-center gap-1 rounded-ctl border border-line bg-well p-3">
          <code className="min-w-0 flex-1 font-mono text-[12.5px] break-all">{link?.url}</code>
          <CopyButton text={link?.url ?? ''} label="Copy link" />
        </div>
        <details>
          <summary className="w-fit cursor-pointer py-1 text-[13px] text-ink2 hover:text-ink pointer-coarse:py-3">
            Email text
          </summary>
          <div className="relative mt-1">
            <TextArea label="Email text" isLabelHidden readOnly rows={8} className="pr-11" value={mail} />
            <span className="absolute top-1 right-1 bg-card">
              <CopyButton text={mail} label="Copy email text" />
            </span>
          </div>
        </details>
        <div className="flex justify-end">
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
