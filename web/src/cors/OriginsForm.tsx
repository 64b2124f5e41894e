import { ApiError } from '@passport/contract/call'
import { type CorsStack, getCorsStack, listCorsStacks, putCorsStack } from '@passport/contract/cors'
import { findOriginError } from '@passport/contract/origin'
import { RotateCcw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { TextArea } from '../ui/TextArea.tsx'

interface OriginsFormProps {
  stack: CorsStack
  /** The list of stacks. */
  children: ReactNode
}

/** The origins of a stack: read first, then edited as lines. */
export function OriginsForm({ stack, children }: OriginsFormProps) {
  const isNew = stack.revision === 0 && !stack.isOwn && stack.configured === null
  const [isEditing, setEditing] = useState(isNew)
  const [isResetting, setResetting] = useState(false)
  const copyConfig = useCopyAsConfig(isNew ? undefined : { corsStack: { stack: stack.stack, origins: stack.origins } })

  async function reset() {
    setResetting(false)
    try {
      await save(stack, null, { ifMatch: `"${stack.revision}"` })
      reportSuccess('Reset')
    } catch (error) {
      reportFailure('reset the origins', error)
    }
    void queryClient.invalidateQueries({ queryKey: [listCorsStacks.path] })
  }

  return (
    <>
      <header className="mb-6 flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h1>Allowed origins</h1>
          <p className="mt-1 text-ink2">Web apps on these origins may call Passport with a token.</p>
        </div>
        <PageMenu
          copyConfig={copyConfig}
          items={[
            ...(stack.isSaved
              ? [
                  {
                    label: stack.configured ? 'Reset to the configuration…' : 'Delete the origins…',
                    icon: <RotateCcw size={16} />,
                    isDanger: true,
                    onSelect: () => setResetting(true),
                  },
                ]
              : []),
          ]}
        />
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 min-[768px]:grid-cols-[226px_minmax(0,1fr)] min-[1100px]:grid-cols-[226px_minmax(0,1fr)_300px]">
        {children}
        {isEditing ? (
          <Editor stack={stack} onClose={() => setEditing(false)} />
        ) : (
          <Card
            title={stack.stack}
            description={<Source stack={stack} />}
            action={
              <Button onClick={() => setEditing(true)} variant="primary">
                Edit
              </Button>
            }
          >
            {stack.origins.length === 0 ? (
              <p className="px-4 pb-5 text-ink2 sm:px-[18px]">No web app of another origin may call this stack.</p>
            ) : (
              <ul className="pb-1.5">
                {stack.origins.map((origin) => (
                  <li
                    key={origin}
                    className="border-t border-hair px-4 py-2.5 font-mono text-[13px] [overflow-wrap:anywhere] first:border-0 sm:px-[18px]"
                  >
                    {origin}
                  </li>
                ))}
              </ul>
            )}
          </Card>
        )}
        <div className="min-[768px]:max-[1099px]:col-start-2">
          <Limits isOwn={stack.isOwn} />
        </div>
      </div>
      <Confirm
        isOpen={isResetting}
        title={stack.configured ? 'Reset the origins?' : 'Delete the origins?'}
        action={stack.configured ? 'Reset' : 'Delete'}
        onConfirm={() => void reset()}
        onClose={() => setResetting(false)}
      >
        {stack.configured?.length
          ? `These apply again: ${stack.configured.join(', ')}`
          : 'Web apps of other origins may no longer call this stack.'}
      </Confirm>
    </>
  )
}

function Source({ stack: { isSaved, configured, updatedBy, updatedAt } }: { stack: CorsStack }) {
  if (isSaved && updatedAt)
    return (
      <>
        Saved by {updatedBy?.name ?? 'the command line'}, <RelativeTime at={updatedAt} />
      </>
    )
  return configured ? 'From the configuration' : 'Not configured'
}

/** What the origins do, and what they never do. */
function Limits({ isOwn }: { isOwn: boolean }) {
  return (
    <Card title="What they allow">
      <ul className="grid gap-3 px-4 pt-1 pb-5 text-[13px] sm:px-[18px]">
        <li>
          <Status tone={isOwn ? 'ok' : 'off'}>
            {isOwn ? 'Calls with a bearer token' : 'Listed for its own server'}
          </Status>
        </li>
        {['Cookies', 'Redirects after sign-in', 'Forms of other sites'].map((never) => (
          <li key={never}>
            <Status tone="off">{never}: never</Status>
          </li>
        ))}
      </ul>
    </Card>
  )
}

async function save(stack: CorsStack, origins: string[] | null, options: { ifMatch?: string }): Promise<CorsStack> {
  const params = { stack: stack.stack }
  const saved = await call(putCorsStack, { params, body: { ...stack, origins } }, options)
  void queryClient.invalidateQueries({ queryKey: [listCorsStacks.path] })
  return saved
}

const toLines = (text: string) => text.split(/\s+/).filter(Boolean)
const toSaved = (stack: CorsStack) => ({
  values: { origins: stack.origins.join('\n') },
  version: stack.revision,
  record: stack,
})

function Editor({ stack, onClose }: { stack: CorsStack; onClose: () => void }) {
  const record = useRecordForm({
    saved: toSaved(stack),
    labels: { origins: 'Origins' },
    save: async ({ origins }, options, stack) => {
      const lines = toLines(origins)
      try {
        const saved = await save(stack, lines, options)
        return { version: saved.revision, record: saved }
      } catch (error) {
        if (error instanceof ApiError) nameLines(error, lines)
        throw error
      }
    },
    reload: async () => toSaved(await call(getCorsStack, { params: { stack: stack.stack } })),
    onSaved: () => {
      reportSuccess('Saved')
      onClose()
    },
  })
  const lines = toLines(record.form.watch('origins'))
  const wrong = lines.find((line) => findOriginError(line))
  return (
    <EditCard record={record} recordLabel="these origins" title={stack.stack} onClose={onClose}>
      <TextArea
        label="Origins, one per line"
        rows={10}
        className="font-mono text-[13px] leading-relaxed"
        placeholder="https://app.example"
        autoCapitalize="none"
        spellCheck={false}
        hint={
          wrong ? (
            <span className="text-warn [overflow-wrap:anywhere]">
              {wrong}: {findOriginError(wrong)}
            </span>
          ) : (
            'Scheme and host, and the port unless it is the default.'
          )
        }
        error={record.errorOf('origins')}
        {...record.form.register('origins')}
      />
    </EditCard>
  )
}

/** Adds the origin to the message of an error about it. */
function nameLines(error: ApiError, lines: string[]) {
  for (const entry of error.problem?.errors ?? []) {
    const line = lines[Number(/^origins\[(\d+)\]/.exec(entry.field)?.[1])]
    if (line) entry.message = `${line}: ${entry.message}`
  }
}
