// Checks a model in a thread of its own, whose memory and time are limited: see model.ts.

import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { validateBytes } from 'gltf-validator'
import { readGlb } from './glb.ts'
import { findModelFaults, findTextureFaults } from './model-rules.ts'
import type { Finding } from './problems.ts'

/** The findings about a model, and its SHA-256. */
export interface ModelReport {
  findings: Finding[]
  hash: string
}

const bytes = workerData as Uint8Array

async function findFaults(): Promise<Finding[]> {
  const glb = readGlb(bytes)
  if ('finding' in glb) return [glb.finding]
  const faults = findModelFaults(glb.document)
  return faults.length > 0 ? faults : validate(glb.document)
}

async function validate(document: Record<string, unknown>): Promise<Finding[]> {
  const { issues, info } = await validateBytes(bytes, {
    format: 'glb',
    maxIssues: 100,
    externalResourceFunction: () => Promise.reject(new Error('A model has no other files.')),
  })
  const errors = issues.messages.filter(({ severity }) => severity === 0)
  if (errors.length > 0) return errors.map(toFinding)
  const images = Array.isArray(document['images']) ? document['images'] : []
  const sizes = new Map(info?.resources?.map(({ pointer, image }) => [pointer, image]))
  return findTextureFaults(images.map((_, index) => sizes.get(`/images/${index}`)))
}

/** Converts an error of the validator, `ACCESSOR_TOO_LONG` at `/accessors/0` for example. */
const toFinding = ({ code, message, pointer }: { code: string; message: string; pointer?: string }): Finding => ({
  code: `gltf-${code.toLowerCase().replaceAll('_', '-')}`,
  message: pointer ? `${pointer.slice(0, 100)}: ${message}` : message,
})

const report: ModelReport = {
  findings: await findFaults(),
  hash: createHash('sha256').update(bytes).digest('hex'),
}
parentPort?.postMessage(report)
