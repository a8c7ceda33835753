%struct.anon = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.bundle_image = type { ptr, i32, i32 }
%struct.launch_attribute = type { i32, i32, [16 x i32] }
%struct.launch_config = type { [3 x i32], [3 x i32], i32, ptr, ptr, i32 }
%struct.bundle_kernel = type { ptr, i64, i64, i64, [3 x i32], i32, i32, i32 }

@.str = private unnamed_addr constant [10 x i8] c" failed: \00", align 1
@cuda = internal unnamed_addr global %struct.anon zeroinitializer, align 8
@.str.1 = private unnamed_addr constant [17 x i8] c"an unknown error\00", align 1
@.str.2 = private unnamed_addr constant [20 x i8] c"cuCtxPushCurrent_v2\00", align 1
@.str.3 = private unnamed_addr constant [14 x i8] c"cuEventRecord\00", align 1
@.str.4 = private unnamed_addr constant [18 x i8] c"cuStreamWaitEvent\00", align 1
@load_driver.busy = internal global i32 0, align 4
@load_driver.is_loaded = internal unnamed_addr global i32 0, align 4
@.str.5 = private unnamed_addr constant [13 x i8] c"libcuda.so.1\00", align 1
@.str.6 = private unnamed_addr constant [71 x i8] c"there is no libcuda.so.1: install NVIDIA's driver, or export for a CPU\00", align 1
@names = internal unnamed_addr constant [25 x ptr] [ptr @.str.8, ptr @.str.9, ptr @.str.10, ptr @.str.11, ptr @.str.12, ptr @.str.2, ptr @.str.13, ptr @.str.14, ptr @.str.15, ptr @.str.16, ptr @.str.17, ptr @.str.18, ptr @.str.19, ptr @.str.20, ptr @.str.21, ptr @.str.22, ptr @.str.23, ptr @.str.24, ptr @.str.25, ptr @.str.26, ptr @.str.3, ptr @.str.4, ptr @.str.27, ptr @.str.28, ptr @.str.29], align 8
@.str.7 = private unnamed_addr constant [36 x i8] c"libcuda.so.1 is too old: it has no \00", align 1
@.str.8 = private unnamed_addr constant [7 x i8] c"cuInit\00", align 1
@.str.9 = private unnamed_addr constant [12 x i8] c"cuDeviceGet\00", align 1
@.str.10 = private unnamed_addr constant [21 x i8] c"cuDeviceGetAttribute\00", align 1
@.str.11 = private unnamed_addr constant [25 x i8] c"cuDevicePrimaryCtxRetain\00", align 1
@.str.12 = private unnamed_addr constant [29 x i8] c"cuDevicePrimaryCtxRelease_v2\00", align 1
@.str.13 = private unnamed_addr constant [19 x i8] c"cuCtxPopCurrent_v2\00", align 1
@.str.14 = private unnamed_addr constant [17 x i8] c"cuModuleLoadData\00", align 1
@.str.15 = private unnamed_addr constant [15 x i8] c"cuModuleUnload\00", align 1
@.str.16 = private unnamed_addr constant [20 x i8] c"cuModuleGetFunction\00", align 1
@.str.17 = private unnamed_addr constant [19 x i8] c"cuFuncSetAttribute\00", align 1
@.str.18 = private unnamed_addr constant [14 x i8] c"cuMemAlloc_v2\00", align 1
@.str.19 = private unnamed_addr constant [13 x i8] c"cuMemFree_v2\00", align 1
@.str.20 = private unnamed_addr constant [15 x i8] c"cuMemHostAlloc\00", align 1
@.str.21 = private unnamed_addr constant [14 x i8] c"cuMemFreeHost\00", align 1
@.str.22 = private unnamed_addr constant [14 x i8] c"cuMemcpyAsync\00", align 1
@.str.23 = private unnamed_addr constant [15 x i8] c"cuStreamCreate\00", align 1
@.str.24 = private unnamed_addr constant [20 x i8] c"cuStreamSynchronize\00", align 1
@.str.25 = private unnamed_addr constant [19 x i8] c"cuStreamDestroy_v2\00", align 1
@.str.26 = private unnamed_addr constant [14 x i8] c"cuEventCreate\00", align 1
@.str.27 = private unnamed_addr constant [18 x i8] c"cuEventDestroy_v2\00", align 1
@.str.28 = private unnamed_addr constant [17 x i8] c"cuLaunchKernelEx\00", align 1
@.str.29 = private unnamed_addr constant [17 x i8] c"cuGetErrorString\00", align 1
@.str.30 = private unnamed_addr constant [15 x i8] c"the GPU is sm_\00", align 1
@.str.31 = private unnamed_addr constant [30 x i8] c", and the bundle has code for\00", align 1
@.str.32 = private unnamed_addr constant [6 x i8] c", sm_\00", align 1
@.str.33 = private unnamed_addr constant [5 x i8] c" sm_\00", align 1
@.str.34 = private unnamed_addr constant [33 x i8] c" alone: compile for this one too\00", align 1

define void @bundle_gpu_why(ptr noundef readonly captures(none) %0, ptr noundef %1) local_unnamed_addr #0 {
  %3 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #8
  store ptr null, ptr %3, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %5 = load ptr, ptr %4, align 8
  tail call void @bundle_add(ptr noundef %1, ptr noundef %5) #9
  tail call void @bundle_add(ptr noundef %1, ptr noundef nonnull @.str) #9
  %6 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 192), align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %8 = load i32, ptr %7, align 8
  %9 = call i32 %6(i32 noundef %8, ptr noundef nonnull %3) #9
  %10 = icmp eq i32 %9, 0
  %11 = load ptr, ptr %3, align 8
  %12 = icmp ne ptr %11, null
  %13 = select i1 %10, i1 %12, i1 false
  br i1 %13, label %15, label %14

14:
  store ptr @.str.1, ptr %3, align 8
  br label %15

15:
  %16 = phi ptr [ %11, %2 ], [ @.str.1, %14 ]
  call void @bundle_add(ptr noundef %1, ptr noundef nonnull %16) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #8
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @bundle_add(ptr noundef, ptr noundef) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define range(i32 0, 2) i32 @bundle_gpu_open(ptr noundef initializes((0, 112)) %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #8
  %6 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %7 = load i32, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 60
  %9 = load i32, ptr %8, align 4
  %10 = add i32 %9, %7
  %11 = getelementptr inbounds nuw i8, ptr %1, i64 52
  %12 = load i32, ptr %11, align 4
  %13 = shl i32 %12, 1
  %14 = add i32 %10, %13
  store ptr %1, ptr %0, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 8
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(104) %15, i8 0, i64 104, i1 false)
  %16 = icmp eq i32 %14, 0
  br i1 %16, label %20, label %17

17:
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %19 = zext i32 %14 to i64
  br label %37

20:
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 80
  store ptr %21, ptr %22, align 8
  %23 = load i32, ptr %6, align 8
  %24 = zext i32 %23 to i64
  %25 = getelementptr inbounds nuw ptr, ptr %21, i64 %24
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 88
  store ptr %25, ptr %26, align 8
  %27 = load i32, ptr %8, align 4
  %28 = zext i32 %27 to i64
  %29 = getelementptr inbounds nuw ptr, ptr %25, i64 %28
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 96
  store ptr %29, ptr %30, align 8
  %31 = load i32, ptr %11, align 4
  %32 = zext i32 %31 to i64
  %33 = getelementptr inbounds nuw ptr, ptr %29, i64 %32
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 104
  store ptr %33, ptr %34, align 8
  %35 = tail call fastcc i32 @load_driver(ptr noundef %3) #10
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %54, label %42

37:
  %38 = phi i64 [ 0, %17 ], [ %40, %37 ]
  %39 = getelementptr inbounds nuw ptr, ptr %18, i64 %38
  store ptr null, ptr %39, align 8
  %40 = add nuw nsw i64 %38, 1
  %41 = icmp eq i64 %40, %19
  br i1 %41, label %20, label %37

42:
  %43 = call fastcc i32 @find_card(ptr noundef nonnull %0, ptr noundef %5) #10
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %53, label %45

45:
  %46 = load i32, ptr %5, align 4
  %47 = tail call fastcc ptr @image_for(ptr noundef nonnull %1, i32 noundef %46) #10
  store ptr %47, ptr %15, align 8
  %48 = icmp eq ptr %47, null
  br i1 %48, label %49, label %50

49:
  tail call fastcc void @say_archs(ptr noundef nonnull %1, i32 noundef %46, ptr noundef %3) #10
  br label %54

50:
  %51 = tail call fastcc i32 @open_context(ptr noundef nonnull %0, ptr noundef %2) #10
  %52 = icmp eq i32 %51, 0
  br i1 %52, label %53, label %54

53:
  tail call void @bundle_gpu_why(ptr noundef nonnull %0, ptr noundef %3) #10
  tail call void @bundle_gpu_close(ptr noundef nonnull %0) #10
  br label %54

54:
  %55 = phi i32 [ 0, %20 ], [ 0, %49 ], [ 0, %53 ], [ 1, %50 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #8
  ret i32 %55
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3

define internal fastcc range(i32 0, 2) i32 @load_driver(ptr noundef %0) unnamed_addr #0 {
  br label %2

2:
  %3 = atomicrmw xchg ptr @load_driver.busy, i32 1 acquire, align 4
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %2

5:
  %6 = load i32, ptr @load_driver.is_loaded, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %10

8:
  %9 = tail call fastcc i32 @find_functions(ptr noundef %0) #10
  store i32 %9, ptr @load_driver.is_loaded, align 4
  br label %10

10:
  %11 = phi i32 [ %9, %8 ], [ %6, %5 ]
  store atomic i32 0, ptr @load_driver.busy release, align 4
  ret i32 %11
}

define internal fastcc range(i32 0, 2) i32 @find_card(ptr noundef %0, ptr noundef nonnull writeonly captures(none) %1) unnamed_addr #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #8
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #8
  %5 = load ptr, ptr @cuda, align 8
  %6 = tail call i32 %5(i32 noundef 0) #9
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %9, label %8

8:
  tail call fastcc void @refuse(ptr noundef %0, ptr noundef nonnull @.str.8, i32 noundef %6) #10
  br label %32

9:
  %10 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 8), align 8
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %12 = tail call i32 %10(ptr noundef nonnull %11, i32 noundef 0) #9
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %15, label %14

14:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.9, i32 noundef %12) #10
  br label %32

15:
  %16 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 16), align 8
  %17 = load i32, ptr %11, align 4
  %18 = call i32 %16(ptr noundef nonnull %3, i32 noundef 75, i32 noundef %17) #9
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %21, label %20

20:
  call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.10, i32 noundef %18) #10
  br label %32

21:
  %22 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 16), align 8
  %23 = load i32, ptr %11, align 4
  %24 = call i32 %22(ptr noundef nonnull %4, i32 noundef 76, i32 noundef %23) #9
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %27, label %26

26:
  call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.10, i32 noundef %24) #10
  br label %32

27:
  %28 = load i32, ptr %3, align 4
  %29 = mul nsw i32 %28, 10
  %30 = load i32, ptr %4, align 4
  %31 = add nsw i32 %29, %30
  store i32 %31, ptr %1, align 4
  br label %32

32:
  %33 = phi i32 [ 1, %27 ], [ 0, %26 ], [ 0, %20 ], [ 0, %14 ], [ 0, %8 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #8
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #8
  ret i32 %33
}

define internal fastcc ptr @image_for(ptr noundef readonly captures(none) %0, i32 noundef %1) unnamed_addr #4 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %4 = load i32, ptr %3, align 8
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %13, label %6

6:
  %7 = load ptr, ptr %0, align 8
  %8 = icmp ult i32 %1, 90
  %9 = trunc nuw i32 %1 to i8
  %10 = udiv i8 %9, 10
  %11 = zext nneg i8 %10 to i32
  %12 = zext i32 %4 to i64
  br label %15

13:
  %14 = phi ptr [ null, %2 ], [ %36, %35 ]
  ret ptr %14

15:
  %16 = phi i64 [ 0, %6 ], [ %37, %35 ]
  %17 = phi ptr [ null, %6 ], [ %36, %35 ]
  %18 = getelementptr inbounds nuw %struct.bundle_image, ptr %7, i64 %16
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 8
  %20 = load i32, ptr %19, align 8
  %21 = icmp eq i32 %20, %1
  br i1 %21, label %28, label %22

22:
  %23 = icmp ult i32 %20, %1
  %24 = and i1 %8, %23
  %25 = udiv i32 %20, 10
  %26 = icmp eq i32 %25, %11
  %27 = select i1 %24, i1 %26, i1 false
  br i1 %27, label %28, label %35

28:
  %29 = icmp eq ptr %17, null
  br i1 %29, label %34, label %30

30:
  %31 = getelementptr inbounds nuw i8, ptr %17, i64 8
  %32 = load i32, ptr %31, align 8
  %33 = icmp ugt i32 %20, %32
  br i1 %33, label %34, label %35

34:
  br label %35

35:
  %36 = phi ptr [ %18, %34 ], [ %17, %30 ], [ %17, %22 ]
  %37 = add nuw nsw i64 %16, 1
  %38 = icmp eq i64 %37, %12
  br i1 %38, label %13, label %15
}

define internal fastcc void @say_archs(ptr noundef readonly captures(none) %0, i32 noundef %1, ptr noundef %2) unnamed_addr #0 {
  tail call void @bundle_add(ptr noundef %2, ptr noundef nonnull @.str.30) #9
  %4 = zext i32 %1 to i64
  tail call void @bundle_add_number(ptr noundef %2, i64 noundef %4) #9
  tail call void @bundle_add(ptr noundef %2, ptr noundef nonnull @.str.31) #9
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %6 = load i32, ptr %5, align 8
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %9

8:
  tail call void @bundle_add(ptr noundef %2, ptr noundef nonnull @.str.34) #9
  ret void

9:
  %10 = phi i64 [ %18, %9 ], [ 0, %3 ]
  %11 = icmp eq i64 %10, 0
  %12 = select i1 %11, ptr @.str.33, ptr @.str.32
  tail call void @bundle_add(ptr noundef %2, ptr noundef nonnull %12) #9
  %13 = load ptr, ptr %0, align 8
  %14 = getelementptr inbounds nuw %struct.bundle_image, ptr %13, i64 %10
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %16 = load i32, ptr %15, align 8
  %17 = zext i32 %16 to i64
  tail call void @bundle_add_number(ptr noundef %2, i64 noundef %17) #9
  %18 = add nuw nsw i64 %10, 1
  %19 = load i32, ptr %5, align 8
  %20 = zext i32 %19 to i64
  %21 = icmp samesign ult i64 %18, %20
  br i1 %21, label %9, label %8
}

define internal fastcc range(i32 0, 2) i32 @open_context(ptr noundef %0, ptr noundef %1) unnamed_addr #0 {
  %3 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 24), align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %6 = load i32, ptr %5, align 4
  %7 = tail call i32 %3(ptr noundef nonnull %4, i32 noundef %6) #9
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %10, label %9

9:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.11, i32 noundef %7) #10
  br label %29

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store i32 1, ptr %11, align 8
  %12 = tail call i32 @bundle_gpu_enter(ptr noundef nonnull %0) #10
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %29, label %14

14:
  %15 = tail call fastcc i32 @make_streams(ptr noundef nonnull %0) #10
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %23, label %17

17:
  %18 = tail call fastcc i32 @load_kernels(ptr noundef nonnull %0) #10
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %23, label %20

20:
  %21 = tail call fastcc i32 @get_memory(ptr noundef nonnull %0, ptr noundef %1) #10
  %22 = icmp ne i32 %21, 0
  br label %23

23:
  %24 = phi i1 [ false, %17 ], [ false, %14 ], [ %22, %20 ]
  %25 = tail call i32 @bundle_gpu_leave(ptr noundef nonnull %0) #10
  %26 = icmp ne i32 %25, 0
  %27 = select i1 %26, i1 %24, i1 false
  %28 = zext i1 %27 to i32
  br label %29

29:
  %30 = phi i32 [ %28, %23 ], [ 0, %9 ], [ 0, %10 ]
  ret i32 %30
}

define void @bundle_gpu_close(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = load ptr, ptr %0, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %5 = load i32, ptr %4, align 8
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %117, label %7

7:
  %8 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 40), align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 %8(ptr noundef %10) #9
  %12 = getelementptr inbounds nuw i8, ptr %3, i64 56
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %17, label %15

15:
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 80
  br label %23

17:
  %18 = getelementptr inbounds nuw i8, ptr %3, i64 60
  %19 = load i32, ptr %18, align 4
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %44, label %21

21:
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 88
  br label %50

23:
  %24 = phi i32 [ %13, %15 ], [ %40, %39 ]
  %25 = phi i64 [ 0, %15 ], [ %41, %39 ]
  %26 = load ptr, ptr %16, align 8
  %27 = getelementptr inbounds nuw ptr, ptr %26, i64 %25
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, null
  br i1 %29, label %39, label %30

30:
  %31 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 136), align 8
  %32 = tail call i32 %31(ptr noundef nonnull %28) #9
  %33 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 144), align 8
  %34 = load ptr, ptr %16, align 8
  %35 = getelementptr inbounds nuw ptr, ptr %34, i64 %25
  %36 = load ptr, ptr %35, align 8
  %37 = tail call i32 %33(ptr noundef %36) #9
  %38 = load i32, ptr %12, align 8
  br label %39

39:
  %40 = phi i32 [ %24, %23 ], [ %38, %30 ]
  %41 = add nuw nsw i64 %25, 1
  %42 = zext i32 %40 to i64
  %43 = icmp samesign ult i64 %41, %42
  br i1 %43, label %23, label %17

44:
  %45 = getelementptr inbounds nuw i8, ptr %3, i64 52
  %46 = load i32, ptr %45, align 4
  %47 = icmp eq i32 %46, 0
  br i1 %47, label %66, label %48

48:
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 96
  br label %70

50:
  %51 = phi i32 [ %19, %21 ], [ %62, %61 ]
  %52 = phi i64 [ 0, %21 ], [ %63, %61 ]
  %53 = load ptr, ptr %22, align 8
  %54 = getelementptr inbounds nuw ptr, ptr %53, i64 %52
  %55 = load ptr, ptr %54, align 8
  %56 = icmp eq ptr %55, null
  br i1 %56, label %61, label %57

57:
  %58 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 176), align 8
  %59 = tail call i32 %58(ptr noundef nonnull %55) #9
  %60 = load i32, ptr %18, align 4
  br label %61

61:
  %62 = phi i32 [ %51, %50 ], [ %60, %57 ]
  %63 = add nuw nsw i64 %52, 1
  %64 = zext i32 %62 to i64
  %65 = icmp samesign ult i64 %63, %64
  br i1 %65, label %50, label %44

66:
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %68 = load i64, ptr %67, align 8
  %69 = icmp eq i64 %68, 0
  br i1 %69, label %89, label %86

70:
  %71 = phi i32 [ %46, %48 ], [ %82, %81 ]
  %72 = phi i64 [ 0, %48 ], [ %83, %81 ]
  %73 = load ptr, ptr %49, align 8
  %74 = getelementptr inbounds nuw ptr, ptr %73, i64 %72
  %75 = load ptr, ptr %74, align 8
  %76 = icmp eq ptr %75, null
  br i1 %76, label %81, label %77

77:
  %78 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 64), align 8
  %79 = tail call i32 %78(ptr noundef nonnull %75) #9
  %80 = load i32, ptr %45, align 4
  br label %81

81:
  %82 = phi i32 [ %71, %70 ], [ %80, %77 ]
  %83 = add nuw nsw i64 %72, 1
  %84 = zext i32 %82 to i64
  %85 = icmp samesign ult i64 %83, %84
  br i1 %85, label %70, label %66

86:
  %87 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 96), align 8
  %88 = tail call i32 %87(i64 noundef %68) #9
  br label %89

89:
  %90 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %91 = load i64, ptr %90, align 8
  %92 = icmp eq i64 %91, 0
  br i1 %92, label %96, label %93

93:
  %94 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 96), align 8
  %95 = tail call i32 %94(i64 noundef %91) #9
  br label %96

96:
  %97 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %98 = load i64, ptr %97, align 8
  %99 = icmp eq i64 %98, 0
  br i1 %99, label %103, label %100

100:
  %101 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 96), align 8
  %102 = tail call i32 %101(i64 noundef %98) #9
  br label %103

103:
  %104 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %105 = load ptr, ptr %104, align 8
  %106 = icmp eq ptr %105, null
  br i1 %106, label %110, label %107

107:
  %108 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 112), align 8
  %109 = tail call i32 %108(ptr noundef nonnull %105) #9
  br label %110

110:
  %111 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 48), align 8
  %112 = call i32 %111(ptr noundef nonnull %2) #9
  %113 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 32), align 8
  %114 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %115 = load i32, ptr %114, align 4
  %116 = call i32 %113(i32 noundef %115) #9
  store i32 0, ptr %4, align 8
  br label %117

117:
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #8
  ret void
}

define ptr @bundle_gpu_base(ptr noundef readonly captures(none) %0, i32 noundef %1) local_unnamed_addr #5 {
  switch i32 %1, label %14 [
    i32 6, label %3
    i32 7, label %6
  ]

3:
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %5 = load ptr, ptr %4, align 8
  br label %18

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %8 = load i64, ptr %7, align 8
  %9 = load ptr, ptr %0, align 8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 32
  %11 = load i64, ptr %10, align 8
  %12 = sub i64 %8, %11
  %13 = inttoptr i64 %12 to ptr
  br label %18

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %16 = load i64, ptr %15, align 8
  %17 = inttoptr i64 %16 to ptr
  br label %18

18:
  %19 = phi ptr [ %17, %14 ], [ %5, %3 ], [ %13, %6 ]
  ret ptr %19
}

define range(i32 0, 2) i32 @bundle_gpu_enter(ptr noundef captures(none) initializes((16, 24)) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store ptr null, ptr %2, align 8
  %3 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 40), align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i32 %3(ptr noundef %5) #9
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %9, label %8

8:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.2, i32 noundef %6) #10
  br label %9

9:
  %10 = zext i1 %7 to i32
  ret i32 %10
}

define internal fastcc void @refuse(ptr noundef captures(none) %0, ptr noundef %1, i32 noundef range(i32 1, 0) %2) unnamed_addr #6 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %5 = load ptr, ptr %4, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %7, label %9

7:
  store ptr %1, ptr %4, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i32 %2, ptr %8, align 8
  br label %9

9:
  ret void
}

define range(i32 0, 2) i32 @bundle_gpu_leave(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #8
  %3 = tail call fastcc i32 @finish(ptr noundef %0) #10
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 48), align 8
  %5 = call i32 %4(ptr noundef nonnull %2) #9
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #8
  ret i32 %3
}

define internal fastcc range(i32 0, 2) i32 @finish(ptr noundef captures(none) %0) unnamed_addr #0 {
  %2 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 136), align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %4 = load ptr, ptr %3, align 8
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i32 %2(ptr noundef %5) #9
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %9, label %8

8:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.24, i32 noundef %6) #10
  br label %9

9:
  %10 = zext i1 %7 to i32
  ret i32 %10
}

define range(i32 0, 2) i32 @bundle_gpu_work(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %1, i64 36
  %7 = load i32, ptr %6, align 4
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds nuw ptr, ptr %5, i64 %8
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %12 = load i32, ptr %11, align 8
  switch i32 %12, label %50 [
    i32 2, label %13
    i32 3, label %15
    i32 4, label %22
    i32 5, label %36
  ]

13:
  %14 = tail call fastcc i32 @launch(ptr noundef nonnull %0, ptr noundef nonnull %1, ptr noundef %2) #10
  br label %52

15:
  %16 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %17 = load ptr, ptr %16, align 8
  %18 = load ptr, ptr %2, align 8
  %19 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %20 = load i64, ptr %19, align 8
  %21 = tail call fastcc i32 @queue_copy(ptr noundef nonnull %0, ptr noundef %17, ptr noundef %18, i64 noundef %20, ptr noundef %10) #10
  br label %52

22:
  %23 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 160), align 8
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %25 = load ptr, ptr %24, align 8
  %26 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %27 = load i32, ptr %26, align 8
  %28 = zext i32 %27 to i64
  %29 = getelementptr inbounds nuw ptr, ptr %25, i64 %28
  %30 = load ptr, ptr %29, align 8
  %31 = tail call i32 %23(ptr noundef %30, ptr noundef %10) #9
  %32 = icmp eq i32 %31, 0
  br i1 %32, label %34, label %33

33:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.3, i32 noundef %31) #10
  br label %34

34:
  %35 = zext i1 %32 to i32
  br label %52

36:
  %37 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 168), align 8
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %39 = load ptr, ptr %38, align 8
  %40 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %41 = load i32, ptr %40, align 8
  %42 = zext i32 %41 to i64
  %43 = getelementptr inbounds nuw ptr, ptr %39, i64 %42
  %44 = load ptr, ptr %43, align 8
  %45 = tail call i32 %37(ptr noundef %10, ptr noundef %44, i32 noundef 0) #9
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %48, label %47

47:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.4, i32 noundef %45) #10
  br label %48

48:
  %49 = zext i1 %46 to i32
  br label %52

50:
  %51 = tail call fastcc i32 @finish(ptr noundef nonnull %0) #10
  br label %52

52:
  %53 = phi i32 [ %51, %50 ], [ %14, %13 ], [ %21, %15 ], [ %35, %34 ], [ %49, %48 ]
  ret i32 %53
}

define internal fastcc range(i32 0, 2) i32 @launch(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef %2) unnamed_addr #0 {
  %4 = alloca [2 x i64], align 8
  %5 = alloca [66 x ptr], align 8
  %6 = alloca %struct.launch_attribute, align 4
  %7 = alloca %struct.launch_config, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %9 = load ptr, ptr %8, align 8
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %12 = load i32, ptr %11, align 8
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds nuw %struct.bundle_kernel, ptr %10, i64 %13
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #8
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 16
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %24, label %18

18:
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %20 = load i64, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %14, i64 24
  %22 = load i64, ptr %21, align 8
  %23 = add i64 %22, %20
  br label %24

24:
  %25 = phi i64 [ %23, %18 ], [ 0, %3 ]
  store i64 %25, ptr %4, align 8
  %26 = getelementptr inbounds nuw i8, ptr %4, i64 8
  store i64 0, ptr %26, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #8
  %27 = getelementptr inbounds nuw i8, ptr %1, i64 28
  %28 = load i32, ptr %27, align 4
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %32, label %30

30:
  %31 = zext i32 %28 to i64
  br label %75

32:
  %33 = phi i64 [ 0, %24 ], [ %31, %75 ]
  %34 = getelementptr inbounds nuw ptr, ptr %5, i64 %33
  store ptr %4, ptr %34, align 8
  %35 = add i32 %28, 1
  %36 = zext i32 %35 to i64
  %37 = getelementptr inbounds nuw ptr, ptr %5, i64 %36
  store ptr %26, ptr %37, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #8
  %38 = getelementptr inbounds nuw i8, ptr %6, i64 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(68) %38, i8 0, i64 68, i1 false)
  store i32 6, ptr %6, align 4
  %39 = getelementptr inbounds nuw i8, ptr %6, i64 8
  store i32 1, ptr %39, align 4
  %40 = getelementptr inbounds nuw i8, ptr %14, i64 32
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #8
  %41 = load i32, ptr %40, align 4
  store i32 %41, ptr %7, align 8
  %42 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %43 = getelementptr inbounds nuw i8, ptr %14, i64 36
  %44 = load i32, ptr %43, align 4
  store i32 %44, ptr %42, align 4
  %45 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %46 = getelementptr inbounds nuw i8, ptr %14, i64 40
  %47 = load i32, ptr %46, align 4
  store i32 %47, ptr %45, align 8
  %48 = getelementptr inbounds nuw i8, ptr %7, i64 12
  %49 = getelementptr inbounds nuw i8, ptr %14, i64 44
  %50 = load i32, ptr %49, align 4
  store i32 %50, ptr %48, align 4
  %51 = getelementptr inbounds nuw i8, ptr %7, i64 16
  store i32 1, ptr %51, align 8
  %52 = getelementptr inbounds nuw i8, ptr %7, i64 20
  store i32 1, ptr %52, align 4
  %53 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %54 = getelementptr inbounds nuw i8, ptr %14, i64 48
  %55 = load i32, ptr %54, align 8
  store i32 %55, ptr %53, align 8
  %56 = getelementptr inbounds nuw i8, ptr %7, i64 28
  store i32 0, ptr %56, align 4
  %57 = getelementptr inbounds nuw i8, ptr %7, i64 32
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %59 = load ptr, ptr %58, align 8
  %60 = getelementptr inbounds nuw i8, ptr %1, i64 36
  %61 = load i32, ptr %60, align 4
  %62 = zext i32 %61 to i64
  %63 = getelementptr inbounds nuw ptr, ptr %59, i64 %62
  %64 = load ptr, ptr %63, align 8
  store ptr %64, ptr %57, align 8
  %65 = getelementptr inbounds nuw i8, ptr %7, i64 40
  store ptr %6, ptr %65, align 8
  %66 = getelementptr inbounds nuw i8, ptr %7, i64 48
  %67 = getelementptr inbounds nuw i8, ptr %14, i64 52
  %68 = load i32, ptr %67, align 4
  store i32 %68, ptr %66, align 8
  %69 = getelementptr inbounds nuw i8, ptr %7, i64 52
  store i32 0, ptr %69, align 4
  %70 = icmp eq i32 %41, 0
  %71 = icmp eq i32 %44, 0
  %72 = select i1 %70, i1 true, i1 %71
  %73 = icmp eq i32 %47, 0
  %74 = select i1 %72, i1 true, i1 %73
  br i1 %74, label %90, label %81

75:
  %76 = phi i64 [ 0, %30 ], [ %79, %75 ]
  %77 = getelementptr inbounds nuw ptr, ptr %2, i64 %76
  %78 = getelementptr inbounds nuw ptr, ptr %5, i64 %76
  store ptr %77, ptr %78, align 8
  %79 = add nuw nsw i64 %76, 1
  %80 = icmp eq i64 %79, %31
  br i1 %80, label %32, label %75

81:
  %82 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 184), align 8
  %83 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %84 = load ptr, ptr %83, align 8
  %85 = getelementptr inbounds nuw ptr, ptr %84, i64 %13
  %86 = load ptr, ptr %85, align 8
  %87 = call i32 %82(ptr noundef nonnull %7, ptr noundef %86, ptr noundef nonnull %5, ptr noundef null) #9
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %90, label %89

89:
  call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.28, i32 noundef %87) #10
  br label %90

90:
  %91 = phi i32 [ 0, %89 ], [ 1, %81 ], [ 1, %32 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #8
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #8
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #8
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #8
  ret i32 %91
}

define internal fastcc range(i32 0, 2) i32 @queue_copy(ptr noundef captures(none) %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, ptr noundef %4) unnamed_addr #0 {
  %6 = icmp eq i64 %3, 0
  br i1 %6, label %14, label %7

7:
  %8 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 120), align 8
  %9 = ptrtoint ptr %1 to i64
  %10 = ptrtoint ptr %2 to i64
  %11 = tail call i32 %8(i64 noundef %9, i64 noundef %10, i64 noundef %3, ptr noundef %4) #9
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %14, label %13

13:
  tail call fastcc void @refuse(ptr noundef %0, ptr noundef nonnull @.str.22, i32 noundef %11) #10
  br label %14

14:
  %15 = phi i32 [ 0, %13 ], [ 1, %5 ], [ 1, %7 ]
  ret i32 %15
}

define range(i32 0, 2) i32 @bundle_gpu_copy(ptr noundef captures(none) %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %6 = load ptr, ptr %5, align 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call fastcc i32 @queue_copy(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, ptr noundef %7) #10
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %12, label %10

10:
  %11 = tail call fastcc i32 @finish(ptr noundef nonnull %0) #10
  br label %12

12:
  %13 = phi i32 [ 0, %4 ], [ %11, %10 ]
  ret i32 %13
}

define internal fastcc range(i32 0, 2) i32 @find_functions(ptr noundef %0) unnamed_addr #0 {
  %2 = tail call ptr @dlopen(ptr noundef nonnull @.str.5, i32 noundef 2) #9
  %3 = icmp eq ptr %2, null
  br i1 %3, label %4, label %8

4:
  tail call void @bundle_add(ptr noundef %0, ptr noundef nonnull @.str.6) #9
  br label %18

5:
  %6 = add nuw nsw i64 %9, 1
  %7 = icmp eq i64 %6, 25
  br i1 %7, label %16, label %8

8:
  %9 = phi i64 [ %6, %5 ], [ 0, %1 ]
  %10 = getelementptr inbounds nuw ptr, ptr @names, i64 %9
  %11 = load ptr, ptr %10, align 8
  %12 = tail call ptr @dlsym(ptr noundef nonnull %2, ptr noundef %11) #9
  %13 = getelementptr inbounds nuw ptr, ptr @cuda, i64 %9
  store ptr %12, ptr %13, align 8
  %14 = icmp ne ptr %12, null
  br i1 %14, label %5, label %15

15:
  tail call void @bundle_add(ptr noundef %0, ptr noundef nonnull @.str.7) #9
  tail call void @bundle_add(ptr noundef %0, ptr noundef %11) #9
  br label %16

16:
  %17 = zext i1 %14 to i32
  br label %18

18:
  %19 = phi i32 [ %17, %16 ], [ 0, %4 ]
  ret i32 %19
}

declare ptr @dlopen(ptr noundef, i32 noundef) local_unnamed_addr #2

declare ptr @dlsym(ptr noundef, ptr noundef) local_unnamed_addr #2

declare void @bundle_add_number(ptr noundef, i64 noundef) local_unnamed_addr #2

define internal fastcc range(i32 0, 2) i32 @make_streams(ptr noundef captures(none) %0) unnamed_addr #0 {
  %2 = load ptr, ptr %0, align 8
  %3 = getelementptr inbounds nuw i8, ptr %2, i64 56
  %4 = load i32, ptr %3, align 8
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %15, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 80
  br label %22

8:
  %9 = add nuw nsw i64 %23, 1
  %10 = load ptr, ptr %0, align 8
  %11 = getelementptr inbounds nuw i8, ptr %10, i64 56
  %12 = load i32, ptr %11, align 8
  %13 = zext i32 %12 to i64
  %14 = icmp samesign ult i64 %9, %13
  br i1 %14, label %22, label %15

15:
  %16 = phi ptr [ %2, %1 ], [ %10, %8 ]
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 60
  %18 = load i32, ptr %17, align 4
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %45, label %20

20:
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 88
  br label %37

22:
  %23 = phi i64 [ 0, %6 ], [ %9, %8 ]
  %24 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 128), align 8
  %25 = load ptr, ptr %7, align 8
  %26 = getelementptr inbounds nuw ptr, ptr %25, i64 %23
  %27 = tail call i32 %24(ptr noundef %26, i32 noundef 1) #9
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %8, label %29

29:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.23, i32 noundef %27) #10
  br label %45

30:
  %31 = add nuw nsw i64 %38, 1
  %32 = load ptr, ptr %0, align 8
  %33 = getelementptr inbounds nuw i8, ptr %32, i64 60
  %34 = load i32, ptr %33, align 4
  %35 = zext i32 %34 to i64
  %36 = icmp samesign ult i64 %31, %35
  br i1 %36, label %37, label %45

37:
  %38 = phi i64 [ 0, %20 ], [ %31, %30 ]
  %39 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 152), align 8
  %40 = load ptr, ptr %21, align 8
  %41 = getelementptr inbounds nuw ptr, ptr %40, i64 %38
  %42 = tail call i32 %39(ptr noundef %41, i32 noundef 2) #9
  %43 = icmp eq i32 %42, 0
  br i1 %43, label %30, label %44

44:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.26, i32 noundef %42) #10
  br label %45

45:
  %46 = phi i32 [ 0, %29 ], [ 0, %44 ], [ 1, %15 ], [ 1, %30 ]
  ret i32 %46
}

define internal fastcc range(i32 0, 2) i32 @load_kernels(ptr noundef %0) unnamed_addr #0 {
  %2 = load ptr, ptr %0, align 8
  %3 = getelementptr inbounds nuw i8, ptr %2, i64 52
  %4 = load i32, ptr %3, align 4
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %72, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 104
  br label %10

10:
  %11 = phi i64 [ 0, %6 ], [ %58, %51 ]
  %12 = phi ptr [ %2, %6 ], [ %59, %51 ]
  %13 = phi i64 [ 0, %6 ], [ %57, %51 ]
  %14 = load ptr, ptr %7, align 8
  %15 = load ptr, ptr %14, align 8
  %16 = getelementptr inbounds nuw %struct.bundle_kernel, ptr %15, i64 %11
  %17 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 56), align 8
  %18 = load ptr, ptr %8, align 8
  %19 = getelementptr inbounds nuw ptr, ptr %18, i64 %11
  %20 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr inbounds nuw i8, ptr %16, i64 8
  %23 = load i64, ptr %22, align 8
  %24 = getelementptr inbounds nuw i8, ptr %21, i64 %23
  %25 = tail call i32 %17(ptr noundef %19, ptr noundef %24) #9
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %28, label %27

27:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.14, i32 noundef %25) #10
  br label %72

28:
  %29 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 72), align 8
  %30 = load ptr, ptr %9, align 8
  %31 = getelementptr inbounds nuw ptr, ptr %30, i64 %11
  %32 = load ptr, ptr %8, align 8
  %33 = getelementptr inbounds nuw ptr, ptr %32, i64 %11
  %34 = load ptr, ptr %33, align 8
  %35 = load ptr, ptr %16, align 8
  %36 = tail call i32 %29(ptr noundef %31, ptr noundef %34, ptr noundef %35) #9
  %37 = icmp eq i32 %36, 0
  br i1 %37, label %39, label %38

38:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.16, i32 noundef %36) #10
  br label %72

39:
  %40 = getelementptr inbounds nuw i8, ptr %16, i64 48
  %41 = load i32, ptr %40, align 8
  %42 = icmp ugt i32 %41, 49152
  br i1 %42, label %43, label %51

43:
  %44 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 80), align 8
  %45 = load ptr, ptr %9, align 8
  %46 = getelementptr inbounds nuw ptr, ptr %45, i64 %11
  %47 = load ptr, ptr %46, align 8
  %48 = tail call i32 %44(ptr noundef %47, i32 noundef 8, i32 noundef %41) #9
  %49 = icmp eq i32 %48, 0
  br i1 %49, label %51, label %50

50:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.17, i32 noundef %48) #10
  br label %72

51:
  %52 = getelementptr inbounds nuw i8, ptr %16, i64 24
  %53 = load i64, ptr %52, align 8
  %54 = getelementptr inbounds nuw i8, ptr %16, i64 16
  %55 = load i64, ptr %54, align 8
  %56 = add i64 %55, %53
  %57 = tail call i64 @llvm.umax.i64(i64 %56, i64 %13)
  %58 = add nuw nsw i64 %11, 1
  %59 = load ptr, ptr %0, align 8
  %60 = getelementptr inbounds nuw i8, ptr %59, i64 52
  %61 = load i32, ptr %60, align 4
  %62 = zext i32 %61 to i64
  %63 = icmp samesign ult i64 %58, %62
  br i1 %63, label %10, label %64

64:
  %65 = icmp eq i64 %57, 0
  br i1 %65, label %72, label %66

66:
  %67 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 88), align 8
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %69 = tail call i32 %67(ptr noundef nonnull %68, i64 noundef %57) #9
  %70 = icmp eq i32 %69, 0
  br i1 %70, label %72, label %71

71:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.18, i32 noundef %69) #10
  br label %72

72:
  %73 = phi i32 [ 1, %64 ], [ 0, %71 ], [ 1, %66 ], [ 0, %27 ], [ 0, %38 ], [ 0, %50 ], [ 1, %1 ]
  ret i32 %73
}

define internal fastcc range(i32 0, 2) i32 @get_memory(ptr noundef %0, ptr noundef %1) unnamed_addr #0 {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %5 = load i64, ptr %4, align 8
  %6 = icmp eq i64 %5, 0
  br i1 %6, label %13, label %7

7:
  %8 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 88), align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %10 = tail call i32 %8(ptr noundef nonnull %9, i64 noundef %5) #9
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %13, label %12

12:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.18, i32 noundef %10) #10
  br label %41

13:
  %14 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %15 = load i64, ptr %14, align 8
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %23, label %17

17:
  %18 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 104), align 8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %20 = tail call i32 %18(ptr noundef nonnull %19, i64 noundef %15, i32 noundef 0) #9
  %21 = icmp eq i32 %20, 0
  br i1 %21, label %23, label %22

22:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.20, i32 noundef %20) #10
  br label %41

23:
  %24 = getelementptr inbounds nuw i8, ptr %3, i64 40
  %25 = load i64, ptr %24, align 8
  %26 = icmp eq i64 %25, 0
  br i1 %26, label %41, label %27

27:
  %28 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @cuda, i64 88), align 8
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %30 = tail call i32 %28(ptr noundef nonnull %29, i64 noundef %25) #9
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %33, label %32

32:
  tail call fastcc void @refuse(ptr noundef nonnull %0, ptr noundef nonnull @.str.18, i32 noundef %30) #10
  br label %41

33:
  %34 = load i64, ptr %29, align 8
  %35 = inttoptr i64 %34 to ptr
  %36 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %37 = load i64, ptr %36, align 8
  %38 = getelementptr inbounds nuw i8, ptr %1, i64 %37
  %39 = load i64, ptr %24, align 8
  %40 = tail call i32 @bundle_gpu_copy(ptr noundef nonnull %0, ptr noundef %35, ptr noundef %38, i64 noundef %39) #10
  br label %41

41:
  %42 = phi i32 [ %40, %33 ], [ 0, %32 ], [ 0, %12 ], [ 0, %22 ], [ 1, %23 ]
  ret i32 %42
}

declare i64 @llvm.umax.i64(i64, i64) #7

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { optsize "no-builtins" }
attributes #3 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #4 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #5 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #6 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: readwrite) "no-builtins" }
attributes #7 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { nounwind }
attributes #9 = { nobuiltin nounwind optsize "no-builtins" }
attributes #10 = { nobuiltin optsize "no-builtins" }
