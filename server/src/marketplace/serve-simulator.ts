import * as api from '@passport/contract/aws-simulator'
import type { Feature } from '../feature.ts'
import { playSimulator, readSimulator } from './simulator.ts'

/** A simulated AWS Marketplace, where Passport is connected to one. */
export const serveSimulator: Feature = ({ serve }, services) => {
  serve(api.getAwsSimulator, () => readSimulator(services))
  serve(api.playAwsSimulator, ({ body, caller, visit }) => playSimulator(services, body, { caller, visit }))
}
