/**
 * What people type and what the API calls it. Keys and values go through the tokenizer, so that
 * spelling and case do not matter; "symm mem" is found under "symmmem". A value that is a name is
 * written as a name (`fully_shard`), so that it does not match by its single words.
 */

/** @type {Record<string, string[]>} */
const ALIASES = {
  // Acronyms of features.
  fsdp: ["FullyShardedDataParallel", "fsdp2"],
  fsdp1: ["FullyShardedDataParallel"],
  fsdp2: ["fully_shard"],
  fully_shard: ["fsdp2"],
  hsdp: ["fully_shard"],
  ddp: ["DistributedDataParallel"],
  dcp: ["torch.distributed.checkpoint"],
  cp: ["context_parallel"],
  tp: ["tensor_parallel"],
  pp: ["pipelining"],
  ac: ["checkpoint"],
  sac: ["selective_checkpoint"],
  symmmem: ["symmetric_memory"],
  symm_mem: ["symmetric_memory"],
  pg: ["process_group"],
  aoti: ["AOTInductor"],
  AOTInductor: ["aoti"],
  sdpa: ["scaled_dot_product_attention"],
  scaled_dot_product_attention: ["sdpa"],
  gqa: ["enable_gqa"],
  fa2: ["FlashAttention"],
  fa3: ["FlashAttention-3", "FlashAttention"],
  fa4: ["FlashAttention-4", "FlashAttention"],
  hop: ["higher_order"],
  ep: ["ExportedProgram"],
  njt: ["jagged", "nested_tensor"],
  amp: ["autocast"],
  lr: ["learning_rate"],
  oom: ["OutOfMemoryError"],
  ckpt: ["checkpoint"],
  ts: ["TorchScript"],
  jit: ["TorchScript"],
  TorchScript: ["torch.jit"],
  ptq: ["quantization"],
  qat: ["quantization"],
  tf32: ["allow_tf32", "fp32_precision"],
  fp8: ["float8", "float8_e4m3fn"],
  reproducible: ["deterministic"],
  repeatable: ["deterministic"],
  bitwise: ["deterministic"],
  // What happened.
  bc: ["incompatible", "breaking"],
  gone: ["removed"],
  dropped: ["removed"],
  disappeared: ["removed"],
  missing: ["removed"],
  deleted: ["removed"],
  allowlist: ["safe_globals"],
  whitelist: ["allowlist", "safe_globals"],
  slow: ["performance", "regression"],
  // Hardware by the name on the box.
  nvidia: ["cuda"],
  amd: ["rocm"],
  radeon: ["rocm"],
  hip: ["rocm"],
  intelgpu: ["xpu"],
  arc: ["xpu"],
  metal: ["mps"],
  applesilicon: ["mps"],
  macbook: ["mps"],
  blackwell: ["sm_120", "sm_100"],
  rtx5090: ["blackwell", "sm_120"],
  b200: ["blackwell", "sm_100"],
  hopper: ["sm_90"],
  h100: ["hopper", "sm_90"],
  h200: ["hopper", "sm_90"],
  turing: ["sm_75"],
  t4: ["turing", "sm_75"],
  v100: ["volta", "sm_70"],
  p100: ["pascal", "sm_60"],
  gtx1080: ["pascal", "sm_61"],
};

/**
 * @param {(text: string) => string} name gives a name's term
 * @returns {Map<string, string[]>} from the term of a name to other names for it
 */
export function aliasTable(name) {
  return new Map(Object.entries(ALIASES).map(([key, value]) => [name(key), value]));
}
