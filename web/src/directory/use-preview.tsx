import { ApiError } from '@passport/contract/call'
import type { RoleEffect } from '@passport/contract/role-effect'
import { useRef, useState } from 'react'
import { type CacheEdit, updateOptimistically } from '../app/optimistic-update.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { TypeToConfirm } from '../ui/TypeToConfirm.tsx'
import { RoleEffectList } from './RoleEffectList.tsx'

/** The query parameters of a call with a preview. */
export interface PreviewQuery {
  preview?: 'true'
  confirmSelfDemotion?: 'true'
}

/** Sends the change. With `preview` the service writes nothing and returns a `RoleEffect`. */
type Send<T> = (query: PreviewQuery) => Promise<T | RoleEffect>
/** The response of a change, or true if the call returns nothing. */
type ChangeResult<T> = undefined extends T ? true : T

export interface Confirmation {
  title: string
  action: string
  /** A text that the user must type, such as the record's name, even for a change without an effect on roles. */
  phrase?: string
  /** Whether the title names the only affected user. */
  isOneUser?: boolean
  /** Shown above the effect. */
  details?: string
}

interface ChangeOptions {
  /** Edits that show the change as soon as it is sent (`updateOptimistically`). */
  edits?: CacheEdit[] | undefined
  /** Whether the change may grant or revoke roles; if not, it has no preview. Default: true. */
  affectsRoles?: boolean | undefined
}

interface Question extends Confirmation {
  effect?: RoleEffect
}

/**
 * Sends changes that may grant or revoke roles. `change` first previews which users would gain or lose which role, and
 * sends the change after a confirmation, which may depend on the preview. A change without an effect on roles needs no
 * confirmation, unless it has a phrase to type; one that revokes the user's own administrator role needs a second one.
 *
 * `change` resolves with undefined if cancelled, with true if the call returns nothing, and rejects with the call's
 * error. Render `dialog` anywhere on the page.
 *
 *     const { change, dialog } = usePreview()
 *     const done = await change((query) => call(addMembers, { params, query, body }), { title: 'Add 12 members?', action: 'Add' })
 */
export function usePreview() {
  const [question, setQuestion] = useState<Question>()
  const resolveAnswer = useRef<(isConfirmed: boolean) => void>(undefined)

  const confirm = (question: Question) =>
    new Promise<boolean>((resolve) => {
      resolveAnswer.current = resolve
      setQuestion(question)
    }).finally(() => setQuestion(undefined))

  async function change<T>(
    send: Send<T>,
    toConfirmation: Confirmation | (() => Confirmation),
    { edits = [], affectsRoles = true }: ChangeOptions = {},
  ): Promise<ChangeResult<T> | undefined> {
    const effect = affectsRoles ? ((await send({ preview: 'true' })) as RoleEffect) : noEffect
    const confirmation = typeof toConfirmation === 'function' ? toConfirmation() : toConfirmation
    const hasEffect = [effect, effect.groups].some((part) => part && part.gains.length + part.loses.length > 0)
    const isAsked = hasEffect || confirmation.phrase !== undefined
    if (isAsked && !(await confirm({ ...confirmation, ...(hasEffect && { effect }) }))) return undefined
    const apply = async (query: PreviewQuery) =>
      ((await updateOptimistically(edits, () => send(query))) ?? true) as ChangeResult<T>
    try {
      return await apply({})
    } catch (error) {
      if (!(error instanceof ApiError && error.problem?.code === 'self-demotion')) throw error
      if (!(await confirm(selfDemotionQuestion))) return undefined
      return await apply({ confirmSelfDemotion: 'true' })
    }
  }

  const { title = '', action = '', phrase, isOneUser, details, effect } = question ?? {}
  const props = {
    title,
    action,
    onConfirm: () => resolveAnswer.current?.(true),
    onClose: () => resolveAnswer.current?.(false),
    children: (
      <div className="grid gap-3">
        {details}
        {effect && <RoleEffectList effect={effect} isOneUser={isOneUser} />}
      </div>
    ),
  }
  const dialog = (
    <>
      <Confirm {...props} isOpen={question !== undefined && phrase === undefined} />
      <TypeToConfirm {...props} isOpen={phrase !== undefined} phrase={phrase ?? ''} />
    </>
  )
  return { change, dialog }
}

const noEffect: RoleEffect = { gains: [], loses: [] }
const selfDemotionQuestion: Question = {
  title: 'Remove your own admin access?',
  action: 'Remove my access',
  details: 'You will lose access to the admin console. Only another administrator can restore it.',
}
