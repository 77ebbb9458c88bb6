/* Functions of the API that are not there, and names for those that are.
 *
 * Only a call that is reached is told of: a program may well be linked with functions that it never calls. */
#include "program/runtime/runtime.h"

#define MISSING(name)                                                                              \
    cudaError_t name(void);                                                                        \
    cudaError_t name(void)                                                                         \
    {                                                                                              \
        RETURN_STICKY();                                                                           \
        return runtime_missing(#name, ADVICE);                                                     \
    }

#define ADVICE "there is no picture; leave it out"
MISSING(cudaEGLStreamConsumerAcquireFrame)
MISSING(cudaEGLStreamConsumerConnect)
MISSING(cudaEGLStreamConsumerConnectWithFlags)
MISSING(cudaEGLStreamConsumerDisconnect)
MISSING(cudaEGLStreamConsumerReleaseFrame)
MISSING(cudaEGLStreamProducerConnect)
MISSING(cudaEGLStreamProducerDisconnect)
MISSING(cudaEGLStreamProducerPresentFrame)
MISSING(cudaEGLStreamProducerReturnFrame)
MISSING(cudaEventCreateFromEGLSync)
MISSING(cudaGLGetDevices)
MISSING(cudaGLMapBufferObject)
MISSING(cudaGLMapBufferObjectAsync)
MISSING(cudaGLRegisterBufferObject)
MISSING(cudaGLSetBufferObjectMapFlags)
MISSING(cudaGLSetGLDevice)
MISSING(cudaGLUnmapBufferObject)
MISSING(cudaGLUnmapBufferObjectAsync)
MISSING(cudaGLUnregisterBufferObject)
MISSING(cudaGraphicsEGLRegisterImage)
MISSING(cudaGraphicsGLRegisterBuffer)
MISSING(cudaGraphicsGLRegisterImage)
MISSING(cudaGraphicsMapResources)
MISSING(cudaGraphicsResourceGetMappedEglFrame)
MISSING(cudaGraphicsResourceGetMappedMipmappedArray)
MISSING(cudaGraphicsResourceGetMappedPointer)
MISSING(cudaGraphicsResourceSetMapFlags)
MISSING(cudaGraphicsSubResourceGetMappedArray)
MISSING(cudaGraphicsUnmapResources)
MISSING(cudaGraphicsUnregisterResource)
MISSING(cudaGraphicsVDPAURegisterOutputSurface)
MISSING(cudaGraphicsVDPAURegisterVideoSurface)
MISSING(cudaVDPAUGetDevice)
MISSING(cudaVDPAUSetVDPAUDevice)
#undef ADVICE

#define ADVICE "share memory within one program"
MISSING(cudaDestroyExternalMemory)
MISSING(cudaDestroyExternalSemaphore)
MISSING(cudaDeviceGetNvSciSyncAttributes)
MISSING(cudaExternalMemoryGetMappedBuffer)
MISSING(cudaExternalMemoryGetMappedMipmappedArray)
MISSING(cudaGraphAddExternalSemaphoresSignalNode)
MISSING(cudaGraphAddExternalSemaphoresWaitNode)
MISSING(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
MISSING(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
MISSING(cudaGraphExternalSemaphoresSignalNodeGetParams)
MISSING(cudaGraphExternalSemaphoresSignalNodeSetParams)
MISSING(cudaGraphExternalSemaphoresWaitNodeGetParams)
MISSING(cudaGraphExternalSemaphoresWaitNodeSetParams)
MISSING(cudaImportExternalMemory)
MISSING(cudaImportExternalSemaphore)
MISSING(cudaIpcCloseMemHandle)
MISSING(cudaIpcGetEventHandle)
MISSING(cudaIpcGetMemHandle)
MISSING(cudaIpcOpenEventHandle)
MISSING(cudaIpcOpenMemHandle)
MISSING(cudaMemPoolExportPointer)
MISSING(cudaMemPoolExportToShareableHandle)
MISSING(cudaMemPoolImportFromShareableHandle)
MISSING(cudaMemPoolImportPointer)
MISSING(cudaSignalExternalSemaphoresAsync)
MISSING(cudaWaitExternalSemaphoresAsync)
#undef ADVICE

#define ADVICE "use a CUDA array of one level"
MISSING(cudaFreeMipmappedArray)
MISSING(cudaGetMipmappedArrayLevel)
MISSING(cudaMallocMipmappedArray)
MISSING(cudaMipmappedArrayGetMemoryRequirements)
MISSING(cudaMipmappedArrayGetSparseProperties)
#undef ADVICE

#define ADVICE "link the kernels with the program"
MISSING(cudaKernelSetAttributeForDevice)
MISSING(cudaLibraryEnumerateKernels)
MISSING(cudaLibraryGetGlobal)
MISSING(cudaLibraryGetKernel)
MISSING(cudaLibraryGetKernelCount)
MISSING(cudaLibraryGetManaged)
MISSING(cudaLibraryGetUnifiedFunction)
MISSING(cudaLibraryLoadData)
MISSING(cudaLibraryLoadFromFile)
MISSING(cudaLibraryUnload)
#undef ADVICE

#define ADVICE "make the graph anew"
MISSING(cudaGraphEventRecordNodeGetEvent)
MISSING(cudaGraphEventRecordNodeSetEvent)
MISSING(cudaGraphEventWaitNodeGetEvent)
MISSING(cudaGraphEventWaitNodeSetEvent)
MISSING(cudaGraphExecEventRecordNodeSetEvent)
MISSING(cudaGraphExecEventWaitNodeSetEvent)
MISSING(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
MISSING(cudaGraphExecMemcpyNodeSetParamsToSymbol)
MISSING(cudaGraphExecNodeSetParams)
MISSING(cudaGraphKernelNodeCopyAttributes)
MISSING(cudaGraphKernelNodeGetAttribute)
MISSING(cudaGraphMemcpyNodeSetParamsFromSymbol)
MISSING(cudaGraphMemcpyNodeSetParamsToSymbol)
MISSING(cudaGraphNodeSetParams)
#undef ADVICE

#define ADVICE "leave it out, or report it as an issue"
MISSING(cudaArrayGetMemoryRequirements)
MISSING(cudaArrayGetPlane)
MISSING(cudaArrayGetSparseProperties)
MISSING(cudaDeviceFlushGPUDirectRDMAWrites)
MISSING(cudaDeviceGetGraphMemAttribute)
MISSING(cudaDeviceGetHostAtomicCapabilities)
MISSING(cudaDeviceGetP2PAtomicCapabilities)
MISSING(cudaDeviceGetTexture1DLinearMaxWidth)
MISSING(cudaDeviceGraphMemTrim)
MISSING(cudaDeviceRegisterAsyncNotification)
MISSING(cudaDeviceSetGraphMemAttribute)
MISSING(cudaDeviceUnregisterAsyncNotification)
MISSING(cudaGetTextureObjectResourceViewDesc)
MISSING(cudaGraphAddMemAllocNode)
MISSING(cudaGraphAddMemFreeNode)
MISSING(cudaGraphDebugDotPrint)
MISSING(cudaGraphMemAllocNodeGetParams)
MISSING(cudaGraphMemFreeNodeGetParams)
MISSING(cudaGraphReleaseUserObject)
MISSING(cudaGraphRetainUserObject)
MISSING(cudaLogsCurrent)
MISSING(cudaLogsDumpToFile)
MISSING(cudaLogsDumpToMemory)
MISSING(cudaLogsRegisterCallback)
MISSING(cudaLogsUnregisterCallback)
MISSING(cudaMemDiscardAndPrefetchBatchAsync)
MISSING(cudaMemDiscardBatchAsync)
MISSING(cudaMemGetDefaultMemPool)
MISSING(cudaMemGetMemPool)
MISSING(cudaMemPoolGetAccess)
MISSING(cudaMemPrefetchBatchAsync)
MISSING(cudaMemRangeGetAttribute)
MISSING(cudaMemRangeGetAttributes)
MISSING(cudaMemSetMemPool)
MISSING(cudaMemcpy2DArrayToArray)
MISSING(cudaMemcpy3DBatchAsync)
MISSING(cudaMemcpy3DPeer)
MISSING(cudaMemcpy3DPeerAsync)
MISSING(cudaMemcpyArrayToArray)
MISSING(cudaMemcpyBatchAsync)
MISSING(cudaUserObjectCreate)
MISSING(cudaUserObjectRelease)
MISSING(cudaUserObjectRetain)
#undef ADVICE

/* What libraries ask for, and do without when it is not there. */
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result);
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result);
cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id);
cudaError_t __cudaGetProcAddress(void);

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result)
{
    (void)flags;
    RETURN_STICKY();
    REQUIRE(symbol && function);
    *function = runtime_driver_function(symbol);
    if (result)
        *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    (void)version;
    return cudaGetDriverEntryPoint(symbol, function, flags, result);
}

cudaError_t cudaGetExportTable(const void **table, const cudaUUID_t *id)
{
    (void)id;
    RETURN_STICKY();
    REQUIRE(table);
    *table = NULL;
    return runtime_remember(cudaErrorNotSupported);
}

cudaError_t __cudaGetProcAddress(void)
{
    return cudaErrorNotSupported;
}

/* With --default-stream per-thread, compilers call functions by other names. Streams keep order by themselves,
 * so these are the same functions. */
ALSO(__cudaLaunchKernel, _ptsz)
ALSO(cudaEventRecordWithFlags, _ptsz)
ALSO(cudaEventRecord, _ptsz)
ALSO(cudaFreeAsync, _ptsz)
ALSO(cudaGetDriverEntryPointByVersion, _ptsz)
ALSO(cudaGetDriverEntryPoint, _ptsz)
ALSO(cudaGraphInstantiateWithParams, _ptsz)
ALSO(cudaGraphLaunch, _ptsz)
ALSO(cudaGraphUpload, _ptsz)
ALSO(cudaLaunchCooperativeKernel, _ptsz)
ALSO(cudaLaunchHostFunc, _ptsz)
ALSO(cudaLaunchKernelExC, _ptsz)
ALSO(cudaLaunchKernel, _ptsz)
ALSO(cudaMallocAsync, _ptsz)
ALSO(cudaMallocFromPoolAsync, _ptsz)
ALSO(cudaMemDiscardAndPrefetchBatchAsync, _ptsz)
ALSO(cudaMemDiscardBatchAsync, _ptsz)
ALSO(cudaMemPrefetchAsync, _ptsz)
ALSO(cudaMemPrefetchBatchAsync, _ptsz)
ALSO(cudaMemcpy2DArrayToArray, _ptds)
ALSO(cudaMemcpy2DAsync, _ptsz)
ALSO(cudaMemcpy2DFromArrayAsync, _ptsz)
ALSO(cudaMemcpy2DFromArray, _ptds)
ALSO(cudaMemcpy2DToArrayAsync, _ptsz)
ALSO(cudaMemcpy2DToArray, _ptds)
ALSO(cudaMemcpy2D, _ptds)
ALSO(cudaMemcpy3DAsync, _ptsz)
ALSO(cudaMemcpy3DBatchAsync, _ptsz)
ALSO(cudaMemcpy3DPeerAsync, _ptsz)
ALSO(cudaMemcpy3DPeer, _ptds)
ALSO(cudaMemcpy3D, _ptds)
ALSO(cudaMemcpyArrayToArray, _ptds)
ALSO(cudaMemcpyAsync, _ptsz)
ALSO(cudaMemcpyBatchAsync, _ptsz)
ALSO(cudaMemcpyFromArrayAsync, _ptsz)
ALSO(cudaMemcpyFromArray, _ptds)
ALSO(cudaMemcpyFromSymbolAsync, _ptsz)
ALSO(cudaMemcpyFromSymbol, _ptds)
ALSO(cudaMemcpyToArrayAsync, _ptsz)
ALSO(cudaMemcpyToArray, _ptds)
ALSO(cudaMemcpyToSymbolAsync, _ptsz)
ALSO(cudaMemcpyToSymbol, _ptds)
ALSO(cudaMemcpy, _ptds)
ALSO(cudaMemset2DAsync, _ptsz)
ALSO(cudaMemset2D, _ptds)
ALSO(cudaMemset3DAsync, _ptsz)
ALSO(cudaMemset3D, _ptds)
ALSO(cudaMemsetAsync, _ptsz)
ALSO(cudaMemset, _ptds)
ALSO(cudaSignalExternalSemaphoresAsync, _ptsz)
ALSO(cudaStreamAddCallback, _ptsz)
ALSO(cudaStreamAttachMemAsync, _ptsz)
ALSO(cudaStreamBeginCaptureToGraph, _ptsz)
ALSO(cudaStreamBeginCapture, _ptsz)
ALSO(cudaStreamCopyAttributes, _ptsz)
ALSO(cudaStreamEndCapture, _ptsz)
ALSO(cudaStreamGetAttribute, _ptsz)
ALSO(cudaStreamGetCaptureInfo, _ptsz)
ALSO(cudaStreamGetDevice, _ptsz)
ALSO(cudaStreamGetFlags, _ptsz)
ALSO(cudaStreamGetId, _ptsz)
ALSO(cudaStreamGetPriority, _ptsz)
ALSO(cudaStreamIsCapturing, _ptsz)
ALSO(cudaStreamQuery, _ptsz)
ALSO(cudaStreamSetAttribute, _ptsz)
ALSO(cudaStreamSynchronize, _ptsz)
ALSO(cudaStreamUpdateCaptureDependencies, _ptsz)
ALSO(cudaStreamWaitEvent, _ptsz)
ALSO(cudaWaitExternalSemaphoresAsync, _ptsz)
