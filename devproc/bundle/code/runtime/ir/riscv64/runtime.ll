%struct.bundle_program = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, [32 x i8] }
%struct.golden_bound = type { double, double }
%struct.bundle_slot = type { i32, i32, i32, i32, i64, i64 }
%struct.bundle_text = type { ptr, i64, i64 }
%struct.bundle_tensor = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i32, i32, i32, i32, i64, i64, [2 x i64] }
%struct.bundle_step = type { ptr, ptr, ptr, i32, i32 }
%struct.bundle_report = type { i32, i32, ptr, ptr, i64, double, double, double }
%struct.golden_run = type { ptr, ptr, ptr, ptr, i32, i32 }
%struct.kernel_walk = type { ptr, ptr, i32 }

@texts = internal unnamed_addr constant [17 x ptr] [ptr @.str.5, ptr @.str.6, ptr @.str.7, ptr @.str.8, ptr @.str.9, ptr @.str.10, ptr @.str.11, ptr @.str.12, ptr @.str.13, ptr @.str.14, ptr @.str.15, ptr @.str.16, ptr @.str.17, ptr @.str.18, ptr @.str.19, ptr @.str.20, ptr @.str.21], align 8
@.str = private unnamed_addr constant [13 x i8] c"not a status\00", align 1
@bundle_tables = external constant %struct.bundle_program, align 8
@.str.1 = private unnamed_addr constant [111 x i8] c"the system has not got so many, or another instance of this bundle uses another number or another parallel_for\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"bytes\00", align 1
@.str.4 = private unnamed_addr constant [18 x i8] c"inputs or outputs\00", align 1
@.str.5 = private unnamed_addr constant [9 x i8] c"no error\00", align 1
@.str.6 = private unnamed_addr constant [18 x i8] c"a pointer is NULL\00", align 1
@.str.7 = private unnamed_addr constant [133 x i8] c"a struct has another size than the library's; initialise it with the macro of the header that was written together with this library\00", align 1
@.str.8 = private unnamed_addr constant [102 x i8] c"the header has another ABI version than the library; use the header that was written together with it\00", align 1
@.str.9 = private unnamed_addr constant [99 x i8] c"the header describes another interface; use the header that was written together with this library\00", align 1
@.str.10 = private unnamed_addr constant [90 x i8] c"this CPU lacks an instruction set that the code needs; export the bundle for a lesser one\00", align 1
@.str.11 = private unnamed_addr constant [152 x i8] c"the weights are not those of this program; give the whole content of the .weights file that was written together with this library, aligned to 64 bytes\00", align 1
@.str.12 = private unnamed_addr constant [51 x i8] c"the given memory is smaller than the program needs\00", align 1
@.str.13 = private unnamed_addr constant [25 x i8] c"a pointer is not aligned\00", align 1
@.str.14 = private unnamed_addr constant [30 x i8] c"the system has no memory left\00", align 1
@.str.15 = private unnamed_addr constant [40 x i8] c"the threads asked for are not to be had\00", align 1
@.str.16 = private unnamed_addr constant [80 x i8] c"the instance is in use by another call; give each thread an instance of its own\00", align 1
@.str.17 = private unnamed_addr constant [46 x i8] c"an output overlaps an input or another output\00", align 1
@.str.18 = private unnamed_addr constant [23 x i8] c"there is no such state\00", align 1
@.str.19 = private unnamed_addr constant [156 x i8] c"the golden cases are not those of this program; give the whole content of the .golden file that was written together with this library, aligned to 64 bytes\00", align 1
@.str.20 = private unnamed_addr constant [56 x i8] c"a value is further from its golden value than the bound\00", align 1
@.str.21 = private unnamed_addr constant [67 x i8] c"the handle is not that of an instance: destroyed, or never created\00", align 1
@.str.22 = private unnamed_addr constant [7 x i8] c"memory\00", align 1
@.str.23 = private unnamed_addr constant [44 x i8] c"memory is NULL, and this system has no heap\00", align 1
@.str.24 = private unnamed_addr constant [62 x i8] c"parallel_for is given, but the bundle was not exported for it\00", align 1
@.str.25 = private unnamed_addr constant [38 x i8] c"more than the bundle was exported for\00", align 1
@.str.26 = private unnamed_addr constant [8 x i8] c"weights\00", align 1
@.str.27 = private unnamed_addr constant [40 x i8] c"weights are NULL, and none are embedded\00", align 1
@.str.28 = private unnamed_addr constant [26 x i8] c"their hash is another one\00", align 1
@are_our_weights.magic = internal constant [9 x i8] c"DPWEIGHT\00", align 1
@.str.29 = private unnamed_addr constant [3 x i8] c": \00", align 1
@.str.30 = private unnamed_addr constant [16 x i8] c" expected, got \00", align 1
@.str.31 = private unnamed_addr constant [3 x i8] c" '\00", align 1
@.str.32 = private unnamed_addr constant [2 x i8] c"'\00", align 1
@.str.33 = private unnamed_addr constant [6 x i8] c"input\00", align 1
@.str.34 = private unnamed_addr constant [7 x i8] c"output\00", align 1
@.str.35 = private unnamed_addr constant [20 x i8] c"number out of range\00", align 1
@.str.36 = private unnamed_addr constant [35 x i8] c"another size in bytes than that of\00", align 1
@.str.37 = private unnamed_addr constant [20 x i8] c"values of the state\00", align 1
@.str.38 = private unnamed_addr constant [11 x i8] c"the report\00", align 1
@.str.39 = private unnamed_addr constant [31 x i8] c"they have no values of kernels\00", align 1
@.str.40 = private unnamed_addr constant [24 x i8] c"memory of the self-test\00", align 1
@.str.41 = private unnamed_addr constant [33 x i8] c"for the outputs of the self-test\00", align 1
@.str.42 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@.str.43 = private unnamed_addr constant [8 x i8] c": case \00", align 1
@.str.44 = private unnamed_addr constant [3 x i8] c", \00", align 1
@.str.45 = private unnamed_addr constant [12 x i8] c"', element \00", align 1
@golden_problem.magic = internal constant [9 x i8] c"DPGOLDEN\00", align 1
@.str.46 = private unnamed_addr constant [33 x i8] c"NULL, or not aligned to 64 bytes\00", align 1
@.str.47 = private unnamed_addr constant [24 x i8] c"no file of golden cases\00", align 1
@.str.48 = private unnamed_addr constant [25 x i8] c"those of another program\00", align 1
@.str.49 = private unnamed_addr constant [10 x i8] c"truncated\00", align 1
@item_size.sizes = internal unnamed_addr constant [11 x i8] c"\01\01\01\02\02\04\08\02\02\04\08", align 1
@kernel_bounds = internal constant [2 x %struct.golden_bound] [%struct.golden_bound zeroinitializer, %struct.golden_bound { double 1.000000e-03, double 1.000000e-30 }], align 8

define ptr @bundle_api_error_text(i32 noundef signext %0) local_unnamed_addr #0 {
  %2 = icmp ult i32 %0, 17
  br i1 %2, label %3, label %7

3:
  %4 = zext nneg i32 %0 to i64
  %5 = getelementptr inbounds nuw ptr, ptr @texts, i64 %4
  %6 = load ptr, ptr %5, align 8
  br label %7

7:
  %8 = phi ptr [ %6, %3 ], [ @.str, %1 ]
  ret ptr %8
}

define signext range(i32 0, 11) i32 @bundle_api_create(ptr noundef readonly captures(address_is_null) %0, ptr noundef writeonly captures(address_is_null) %1) local_unnamed_addr #1 {
  %3 = icmp eq ptr %1, null
  br i1 %3, label %73, label %4

4:
  store ptr null, ptr %1, align 8
  %5 = icmp eq ptr %0, null
  br i1 %5, label %73, label %6

6:
  %7 = tail call fastcc signext i32 @check_options(ptr noundef %0) #15
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %9, label %73

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %11 = load i32, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %15 = load ptr, ptr %14, align 8
  %16 = tail call signext i32 @bundle_open_threads(i32 noundef signext %11, ptr noundef %13, ptr noundef %15) #16
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %20

18:
  %19 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 10, ptr noundef nonnull @.str.1, i64 noundef 0, i64 noundef 0) #15
  br label %73

20:
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %22 = load ptr, ptr %21, align 8
  %23 = icmp eq ptr %22, null
  br i1 %23, label %24, label %34

24:
  %25 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 88), align 8
  %26 = tail call ptr @bundle_allocate(i64 noundef %25) #16
  %27 = icmp eq ptr %26, null
  br i1 %27, label %32, label %28

28:
  %29 = load ptr, ptr %21, align 8
  %30 = icmp eq ptr %29, null
  %31 = zext i1 %30 to i32
  br label %34

32:
  tail call void @bundle_close_threads() #16
  %33 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 9, ptr noundef nonnull @.str.2, i64 noundef 0, i64 noundef %25) #15
  br label %73

34:
  %35 = phi i32 [ %31, %28 ], [ 0, %20 ]
  %36 = phi ptr [ %26, %28 ], [ %22, %20 ]
  %37 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 96), align 8
  %38 = getelementptr inbounds nuw i8, ptr %36, i64 %37
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %40 = load ptr, ptr %39, align 8
  %41 = icmp eq ptr %40, null
  %42 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 64), align 8
  %43 = select i1 %41, ptr %42, ptr %40
  store i64 7810489104209049188, ptr %38, align 8
  %44 = getelementptr inbounds nuw i8, ptr %38, i64 8
  store ptr %43, ptr %44, align 8
  %45 = getelementptr inbounds nuw i8, ptr %38, i64 16
  store ptr %36, ptr %45, align 8
  %46 = getelementptr inbounds nuw i8, ptr %38, i64 24
  store i32 0, ptr %46, align 8
  %47 = getelementptr inbounds nuw i8, ptr %38, i64 28
  store i32 0, ptr %47, align 4
  %48 = getelementptr inbounds nuw i8, ptr %38, i64 32
  store i32 %35, ptr %48, align 8
  %49 = getelementptr inbounds nuw i8, ptr %38, i64 36
  store i32 0, ptr %49, align 4
  %50 = getelementptr inbounds nuw i8, ptr %38, i64 40
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(320) %50, i8 0, i64 320, i1 false)
  %51 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 108), align 4
  %52 = icmp eq i32 %51, 0
  br i1 %52, label %57, label %53

53:
  %54 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 24), align 8
  %55 = tail call fastcc ptr @operands_of(ptr noundef nonnull %38) #15
  %56 = zext i32 %51 to i64
  br label %58

57:
  tail call fastcc void @reset(ptr noundef nonnull %38) #15
  store ptr %38, ptr %1, align 8
  br label %73

58:
  %59 = phi i64 [ 0, %53 ], [ %71, %65 ]
  %60 = getelementptr inbounds nuw %struct.bundle_slot, ptr %54, i64 %59
  %61 = load i32, ptr %60, align 8
  %62 = icmp eq i32 %61, 2
  br i1 %62, label %63, label %65

63:
  %64 = load ptr, ptr %44, align 8
  br label %65

65:
  %66 = phi ptr [ %64, %63 ], [ %36, %58 ]
  %67 = getelementptr inbounds nuw i8, ptr %60, i64 16
  %68 = load i64, ptr %67, align 8
  %69 = getelementptr inbounds nuw i8, ptr %66, i64 %68
  %70 = getelementptr inbounds nuw ptr, ptr %55, i64 %59
  store ptr %69, ptr %70, align 8
  %71 = add nuw nsw i64 %59, 1
  %72 = icmp eq i64 %71, %56
  br i1 %72, label %57, label %58

73:
  %74 = phi i32 [ 1, %4 ], [ 1, %2 ], [ 10, %18 ], [ %7, %6 ], [ 0, %57 ], [ 9, %32 ]
  ret i32 %74
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

define internal fastcc signext range(i32 0, 11) i32 @check_options(ptr noundef nonnull readonly captures(none) %0) unnamed_addr #1 {
  %2 = load i32, ptr %0, align 8
  %3 = icmp eq i32 %2, 88
  br i1 %3, label %4, label %67

4:
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %6 = load i32, ptr %5, align 4
  %7 = icmp eq i32 %6, 1
  br i1 %7, label %11, label %8

8:
  %9 = zext i32 %6 to i64
  %10 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 3, ptr noundef null, i64 noundef %9, i64 noundef 1) #15
  br label %67

11:
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %13 = load i64, ptr %12, align 8
  %14 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  %15 = icmp eq i64 %13, %14
  br i1 %15, label %18, label %16

16:
  %17 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 4, ptr noundef null, i64 noundef 0, i64 noundef 0) #15
  br label %67

18:
  %19 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 56), align 8
  %20 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 124), align 4
  %21 = tail call ptr @bundle_missing_feature(ptr noundef %19, i32 noundef signext %20) #16
  %22 = icmp eq ptr %21, null
  br i1 %22, label %25, label %23

23:
  %24 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 5, ptr noundef nonnull %21, i64 noundef 0, i64 noundef 0) #15
  br label %67

25:
  %26 = tail call fastcc signext i32 @check_weights(ptr noundef %0) #15
  %27 = icmp eq i32 %26, 0
  br i1 %27, label %28, label %67

28:
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %30 = load ptr, ptr %29, align 8
  %31 = icmp eq ptr %30, null
  br i1 %31, label %44, label %32

32:
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %34 = load i64, ptr %33, align 8
  %35 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 88), align 8
  %36 = icmp ult i64 %34, %35
  br i1 %36, label %37, label %39

37:
  %38 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 7, ptr noundef nonnull @.str.2, i64 noundef %34, i64 noundef %35) #15
  br label %67

39:
  %40 = tail call fastcc signext i32 @is_aligned(ptr noundef %30, i64 noundef 64) #15
  %41 = icmp eq i32 %40, 0
  br i1 %41, label %42, label %50

42:
  %43 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 8, ptr noundef nonnull @.str.22, i64 noundef 0, i64 noundef 0) #15
  br label %67

44:
  %45 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 140), align 4
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %47, label %50

47:
  %48 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 88), align 8
  %49 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 7, ptr noundef nonnull @.str.23, i64 noundef 0, i64 noundef %48) #15
  br label %67

50:
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %52 = load ptr, ptr %51, align 8
  %53 = icmp eq ptr %52, null
  %54 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 136), align 8
  %55 = icmp eq i32 %54, 2
  %56 = select i1 %53, i1 true, i1 %55
  br i1 %56, label %59, label %57

57:
  %58 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 10, ptr noundef nonnull @.str.24, i64 noundef 0, i64 noundef 0) #15
  br label %67

59:
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %61 = load i32, ptr %60, align 8
  %62 = icmp eq i32 %54, 0
  %63 = select i1 %62, i32 1, i32 1024
  %64 = icmp ugt i32 %61, %63
  br i1 %64, label %65, label %67

65:
  %66 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 10, ptr noundef nonnull @.str.25, i64 noundef 0, i64 noundef 0) #15
  br label %67

67:
  %68 = phi i32 [ 2, %1 ], [ 3, %8 ], [ 4, %16 ], [ 5, %23 ], [ 7, %47 ], [ 7, %37 ], [ 10, %57 ], [ 10, %65 ], [ %26, %25 ], [ 8, %42 ], [ 0, %59 ]
  ret i32 %68
}

declare signext i32 @bundle_open_threads(i32 noundef signext, ptr noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc noundef signext range(i32 3, 11) i32 @refuse(ptr noundef nonnull readonly captures(none) %0, i32 noundef returned signext range(i32 3, 11) %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) unnamed_addr #1 {
  %6 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #17
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %10 = load i64, ptr %9, align 8
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %6, ptr noundef %8, i64 noundef %10, i32 noundef signext %1) #15
  %11 = icmp eq ptr %2, null
  br i1 %11, label %13, label %12

12:
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.29) #16
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull %2) #16
  br label %13

13:
  %14 = icmp eq i64 %4, 0
  br i1 %14, label %16, label %15

15:
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.29) #16
  call void @bundle_add_number(ptr noundef nonnull %6, i64 noundef %4) #16
  call void @bundle_add(ptr noundef nonnull %6, ptr noundef nonnull @.str.30) #16
  call void @bundle_add_number(ptr noundef nonnull %6, i64 noundef %3) #16
  br label %16

16:
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #17
  ret i32 %1
}

declare ptr @bundle_allocate(i64 noundef) local_unnamed_addr #3

declare void @bundle_close_threads() local_unnamed_addr #3

define internal fastcc nonnull ptr @operands_of(ptr noundef readnone captures(ret: address, provenance) %0) unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 384
  ret ptr %2
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

define internal fastcc void @reset(ptr noundef captures(none) initializes((28, 32)) %0) unnamed_addr #4 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 28
  store i32 0, ptr %2, align 4
  %3 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 120), align 8
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %10, label %5

5:
  %6 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 48), align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %9 = zext i32 %3 to i64
  br label %11

10:
  ret void

11:
  %12 = phi i64 [ 0, %5 ], [ %24, %11 ]
  %13 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %6, i64 %12
  %14 = load ptr, ptr %7, align 8
  %15 = getelementptr inbounds nuw i8, ptr %13, i64 96
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %14, i64 %16
  %18 = load ptr, ptr %8, align 8
  %19 = getelementptr inbounds nuw i8, ptr %13, i64 88
  %20 = load i64, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %18, i64 %20
  %22 = getelementptr inbounds nuw i8, ptr %13, i64 56
  %23 = load i64, ptr %22, align 8
  tail call fastcc void @copy(ptr noundef %17, ptr noundef %21, i64 noundef %23) #15
  %24 = add nuw nsw i64 %12, 1
  %25 = icmp eq i64 %24, %9
  br i1 %25, label %10, label %11
}

define signext range(i32 0, 17) i32 @bundle_api_trace(ptr noundef %0, ptr noundef readonly captures(address_is_null) %1, ptr noundef readonly captures(address_is_null) %2, ptr noundef readonly captures(address_is_null) %3, ptr noundef %4) local_unnamed_addr #1 {
  %6 = tail call fastcc signext i32 @enter(ptr noundef %0) #15
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %21

8:
  %9 = icmp ne ptr %1, null
  %10 = icmp ne ptr %2, null
  %11 = and i1 %9, %10
  br i1 %11, label %14, label %12

12:
  %13 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 1, ptr noundef nonnull @.str.4, ptr noundef null) #15
  br label %18

14:
  %15 = tail call fastcc signext i32 @check_tensors(ptr noundef %0, ptr noundef %1, ptr noundef %2) #15
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %17, label %18

17:
  tail call fastcc void @execute(ptr noundef %0, ptr noundef nonnull %1, ptr noundef nonnull %2, ptr noundef %3, ptr noundef %4) #15
  br label %18

18:
  %19 = phi i32 [ 1, %12 ], [ %15, %17 ], [ %15, %14 ]
  %20 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %19) #15
  br label %21

21:
  %22 = phi i32 [ %6, %5 ], [ %19, %18 ]
  ret i32 %22
}

define internal fastcc signext range(i32 0, 17) i32 @enter(ptr noundef %0) unnamed_addr #5 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %14, label %3

3:
  %4 = tail call fastcc signext i32 @is_aligned(ptr noundef %0, i64 noundef 64) #15
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %14, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  br i1 %8, label %9, label %14

9:
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %11 = atomicrmw xchg ptr %10, i32 1 acquire, align 8
  %12 = icmp eq i32 %11, 0
  %13 = select i1 %12, i32 0, i32 11
  br label %14

14:
  %15 = phi i32 [ 1, %1 ], [ %13, %9 ], [ 16, %6 ], [ 16, %3 ]
  ret i32 %15
}

define internal fastcc noundef signext i32 @leave(ptr noundef writeonly captures(none) %0, i32 noundef returned signext %1) unnamed_addr #5 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %4, label %6

4:
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store i8 0, ptr %5, align 8
  br label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i32 0, ptr %7 release, align 8
  ret i32 %1
}

define internal fastcc noundef signext range(i32 1, 15) i32 @fail(ptr noundef %0, i32 noundef returned signext range(i32 1, 15) %1, ptr noundef %2, ptr noundef %3) unnamed_addr #1 {
  %5 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #17
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 40
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %5, ptr noundef nonnull %6, i64 noundef 320, i32 noundef signext %1) #15
  %7 = icmp eq ptr %2, null
  br i1 %7, label %9, label %8

8:
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.29) #16
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull %2) #16
  br label %9

9:
  %10 = icmp eq ptr %3, null
  br i1 %10, label %12, label %11

11:
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.31) #16
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull %3) #16
  call void @bundle_add(ptr noundef nonnull %5, ptr noundef nonnull @.str.32) #16
  br label %12

12:
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #17
  ret i32 %1
}

define internal fastcc signext range(i32 0, 13) i32 @check_tensors(ptr noundef %0, ptr noundef nonnull readonly captures(none) %1, ptr noundef nonnull readonly captures(none) %2) unnamed_addr #1 {
  %4 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 112), align 8
  %5 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 116), align 4
  %6 = add i32 %5, %4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %72, label %8

8:
  %9 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %10 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %11 = zext i32 %4 to i64
  %12 = zext i32 %6 to i64
  br label %13

13:
  %14 = phi i64 [ 0, %8 ], [ %66, %65 ]
  %15 = icmp samesign ult i64 %14, %11
  br i1 %15, label %16, label %19

16:
  %17 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %10, i64 %14
  %18 = getelementptr inbounds nuw ptr, ptr %1, i64 %14
  br label %23

19:
  %20 = sub nuw nsw i64 %14, %11
  %21 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %9, i64 %20
  %22 = getelementptr inbounds nuw ptr, ptr %2, i64 %20
  br label %23

23:
  %24 = phi ptr [ %17, %16 ], [ %21, %19 ]
  %25 = phi ptr [ @.str.33, %16 ], [ @.str.34, %19 ]
  %26 = phi ptr [ %18, %16 ], [ %22, %19 ]
  %27 = load ptr, ptr %26, align 8
  %28 = getelementptr inbounds nuw i8, ptr %24, i64 56
  %29 = load i64, ptr %28, align 8
  %30 = icmp eq i64 %29, 0
  br i1 %30, label %65, label %31

31:
  %32 = icmp eq ptr %27, null
  br i1 %32, label %68, label %33

33:
  %34 = getelementptr inbounds nuw i8, ptr %24, i64 72
  %35 = load i32, ptr %34, align 8
  %36 = zext i32 %35 to i64
  %37 = tail call fastcc signext i32 @is_aligned(ptr noundef %27, i64 noundef %36) #15
  %38 = icmp eq i32 %37, 0
  br i1 %38, label %68, label %39

39:
  %40 = icmp eq i64 %14, 0
  %41 = or i1 %15, %40
  br i1 %41, label %65, label %42

42:
  %43 = phi i64 [ %63, %62 ], [ 0, %39 ]
  %44 = icmp samesign ult i64 %43, %11
  br i1 %44, label %45, label %48

45:
  %46 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %10, i64 %43
  %47 = getelementptr inbounds nuw ptr, ptr %1, i64 %43
  br label %52

48:
  %49 = sub nuw nsw i64 %43, %11
  %50 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %9, i64 %49
  %51 = getelementptr inbounds nuw ptr, ptr %2, i64 %49
  br label %52

52:
  %53 = phi ptr [ %46, %45 ], [ %50, %48 ]
  %54 = phi ptr [ %47, %45 ], [ %51, %48 ]
  %55 = getelementptr inbounds nuw i8, ptr %53, i64 56
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %56, 0
  br i1 %57, label %62, label %58

58:
  %59 = load ptr, ptr %54, align 8
  %60 = tail call fastcc signext i32 @ranges_overlap(ptr noundef %27, i64 noundef %29, ptr noundef %59, i64 noundef %56) #15
  %61 = icmp eq i32 %60, 0
  br i1 %61, label %62, label %68

62:
  %63 = add nuw nsw i64 %43, 1
  %64 = icmp samesign ult i64 %63, %14
  br i1 %64, label %42, label %65

65:
  %66 = add nuw nsw i64 %14, 1
  %67 = icmp eq i64 %66, %12
  br i1 %67, label %72, label %13

68:
  %69 = phi i32 [ 12, %58 ], [ 1, %31 ], [ 8, %33 ]
  %70 = load ptr, ptr %24, align 8
  %71 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext %69, ptr noundef nonnull %25, ptr noundef %70) #15
  br label %72

72:
  %73 = phi i32 [ %69, %68 ], [ 0, %3 ], [ 0, %65 ]
  ret i32 %73
}

define internal fastcc void @execute(ptr noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef readonly captures(address_is_null) %3, ptr noundef %4) unnamed_addr #1 {
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 128), align 8
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %14, label %8

8:
  %9 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 104), align 8
  %10 = icmp eq i32 %9, 0
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 16), align 8
  %12 = icmp eq ptr %3, null
  %13 = zext i32 %9 to i64
  br label %19

14:
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %16 = load i32, ptr %15, align 4
  %17 = icmp eq i32 %16, 0
  %18 = zext i1 %17 to i32
  store i32 %18, ptr %15, align 4
  ret void

19:
  %20 = phi i32 [ 0, %8 ], [ %24, %23 ]
  tail call fastcc void @bind(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef signext %20) #15
  br i1 %10, label %23, label %21

21:
  %22 = tail call fastcc ptr @operands_of(ptr noundef %0) #15
  br label %26

23:
  %24 = add nuw i32 %20, 1
  %25 = icmp eq i32 %24, %6
  br i1 %25, label %14, label %19

26:
  %27 = phi i64 [ 0, %21 ], [ %41, %40 ]
  %28 = getelementptr inbounds nuw %struct.bundle_step, ptr %11, i64 %27
  %29 = getelementptr inbounds nuw i8, ptr %28, i64 24
  %30 = load i32, ptr %29, align 8
  %31 = zext i32 %30 to i64
  %32 = getelementptr inbounds nuw ptr, ptr %22, i64 %31
  %33 = load ptr, ptr %28, align 8
  tail call void %33(ptr noundef nonnull %32) #16
  br i1 %12, label %40, label %34

34:
  %35 = getelementptr inbounds nuw i8, ptr %28, i64 8
  %36 = load ptr, ptr %35, align 8
  %37 = getelementptr inbounds nuw i8, ptr %28, i64 16
  %38 = load ptr, ptr %37, align 8
  %39 = trunc nuw i64 %27 to i32
  tail call void %3(ptr noundef %4, i32 noundef signext %39, ptr noundef %36, ptr noundef %38, ptr noundef nonnull %32) #16
  br label %40

40:
  %41 = add nuw nsw i64 %27, 1
  %42 = icmp eq i64 %41, %13
  br i1 %42, label %23, label %26
}

define signext range(i32 0, 17) i32 @bundle_api_run(ptr noundef %0, ptr noundef readonly captures(address_is_null) %1, ptr noundef readonly captures(address_is_null) %2) local_unnamed_addr #1 {
  %4 = tail call signext i32 @bundle_api_trace(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef null, ptr noundef null) #15
  ret i32 %4
}

define signext range(i32 0, 17) i32 @bundle_api_reset(ptr noundef %0) local_unnamed_addr #6 {
  %2 = tail call fastcc signext i32 @enter(ptr noundef %0) #15
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %6

4:
  tail call fastcc void @reset(ptr noundef %0) #15
  %5 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 0) #15
  br label %6

6:
  ret i32 %2
}

define signext i32 @bundle_api_get_state(ptr noundef %0, i32 noundef signext %1, ptr noundef writeonly captures(address_is_null) %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #17
  %6 = tail call fastcc signext i32 @enter(ptr noundef %0) #15
  store i32 %6, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %15

8:
  %9 = call fastcc ptr @state_memory(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, i64 noundef %3, ptr noundef %5) #15
  %10 = icmp eq ptr %9, null
  br i1 %10, label %12, label %11

11:
  tail call fastcc void @copy(ptr noundef %2, ptr noundef nonnull %9, i64 noundef %3) #15
  br label %12

12:
  %13 = load i32, ptr %5, align 4
  %14 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %13) #15
  br label %15

15:
  %16 = phi i32 [ %13, %12 ], [ %6, %4 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #17
  ret i32 %16
}

define internal fastcc ptr @state_memory(ptr noundef %0, i32 noundef signext %1, ptr noundef readnone captures(address_is_null) %2, i64 noundef %3, ptr noundef nonnull writeonly captures(none) %4) unnamed_addr #1 {
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 120), align 8
  %7 = icmp ult i32 %1, %6
  br i1 %7, label %10, label %8

8:
  %9 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 13, ptr noundef nonnull @.str.35, ptr noundef null) #15
  store i32 13, ptr %4, align 4
  br label %37

10:
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 48), align 8
  %12 = zext i32 %1 to i64
  %13 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %11, i64 %12
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 56
  %15 = load i64, ptr %14, align 8
  %16 = icmp eq i64 %3, %15
  br i1 %16, label %20, label %17

17:
  %18 = load ptr, ptr %13, align 8
  %19 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 13, ptr noundef nonnull @.str.36, ptr noundef %18) #15
  store i32 13, ptr %4, align 4
  br label %37

20:
  %21 = icmp eq ptr %2, null
  %22 = icmp ne i64 %3, 0
  %23 = and i1 %21, %22
  br i1 %23, label %24, label %27

24:
  %25 = load ptr, ptr %13, align 8
  %26 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 1, ptr noundef nonnull @.str.37, ptr noundef %25) #15
  store i32 1, ptr %4, align 4
  br label %37

27:
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %29 = load ptr, ptr %28, align 8
  %30 = getelementptr inbounds nuw i8, ptr %13, i64 96
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %32 = load i32, ptr %31, align 4
  %33 = zext i32 %32 to i64
  %34 = getelementptr inbounds nuw i64, ptr %30, i64 %33
  %35 = load i64, ptr %34, align 8
  %36 = getelementptr inbounds nuw i8, ptr %29, i64 %35
  br label %37

37:
  %38 = phi ptr [ %36, %27 ], [ null, %17 ], [ null, %24 ], [ null, %8 ]
  ret ptr %38
}

define internal fastcc void @copy(ptr noundef writeonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) unnamed_addr #7 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %5, label %6

5:
  ret void

6:
  %7 = phi i64 [ %11, %6 ], [ 0, %3 ]
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 %7
  %9 = load i8, ptr %8, align 1
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 %7
  store i8 %9, ptr %10, align 1
  %11 = add nuw i64 %7, 1
  %12 = icmp eq i64 %11, %2
  br i1 %12, label %5, label %6
}

define signext i32 @bundle_api_set_state(ptr noundef %0, i32 noundef signext %1, ptr noundef readonly captures(address_is_null) %2, i64 noundef %3) local_unnamed_addr #1 {
  %5 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #17
  %6 = tail call fastcc signext i32 @enter(ptr noundef %0) #15
  store i32 %6, ptr %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %15

8:
  %9 = call fastcc ptr @state_memory(ptr noundef %0, i32 noundef signext %1, ptr noundef %2, i64 noundef %3, ptr noundef %5) #15
  %10 = icmp eq ptr %9, null
  br i1 %10, label %12, label %11

11:
  tail call fastcc void @copy(ptr noundef nonnull %9, ptr noundef %2, i64 noundef %3) #15
  br label %12

12:
  %13 = load i32, ptr %5, align 4
  %14 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %13) #15
  br label %15

15:
  %16 = phi i32 [ %13, %12 ], [ %6, %4 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #17
  ret i32 %16
}

define signext range(i32 0, 17) i32 @bundle_api_destroy(ptr noundef %0) local_unnamed_addr #1 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %13, label %3

3:
  %4 = tail call fastcc signext i32 @enter(ptr noundef nonnull %0) #15
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %6, label %13

6:
  store i64 0, ptr %0, align 8
  tail call void @bundle_close_threads() #16
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %8 = load i32, ptr %7, align 8
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %13, label %10

10:
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %12 = load ptr, ptr %11, align 8
  tail call void @bundle_free(ptr noundef %12) #16
  br label %13

13:
  %14 = phi i32 [ 0, %1 ], [ %4, %3 ], [ 0, %10 ], [ 0, %6 ]
  ret i32 %14
}

declare void @bundle_free(ptr noundef) local_unnamed_addr #3

define nonnull ptr @bundle_api_last_error(ptr noundef readonly %0) local_unnamed_addr #8 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %11, label %3

3:
  %4 = tail call fastcc signext i32 @is_aligned(ptr noundef %0, i64 noundef 64) #15
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %11, label %6

6:
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %7, 7810489104209049188
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %10 = select i1 %8, ptr %9, ptr @.str.21
  br label %11

11:
  %12 = phi ptr [ @.str.6, %1 ], [ @.str.21, %3 ], [ %10, %6 ]
  ret ptr %12
}

define internal fastcc signext range(i32 0, 2) i32 @is_aligned(ptr noundef nonnull %0, i64 noundef range(i64 0, 4294967296) %1) unnamed_addr #0 {
  %3 = ptrtoint ptr %0 to i64
  %4 = add nsw i64 %1, -1
  %5 = and i64 %4, %3
  %6 = icmp eq i64 %5, 0
  %7 = zext i1 %6 to i32
  ret i32 %7
}

define i64 @bundle_api_memory_size() local_unnamed_addr #0 {
  %1 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 88), align 8
  ret i64 %1
}

define signext range(i32 0, 3) i32 @bundle_api_describe(ptr noundef captures(address_is_null) %0) local_unnamed_addr #9 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %32, label %3

3:
  %4 = load i32, ptr %0, align 8
  %5 = icmp eq i32 %4, 88
  br i1 %5, label %6, label %32

6:
  %7 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  %8 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 88), align 8
  %9 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 80), align 8
  %10 = load ptr, ptr @bundle_tables, align 8
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 8), align 8
  %12 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %13 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %14 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 48), align 8
  %15 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 112), align 8
  %16 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 116), align 4
  %17 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 120), align 8
  %18 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 104), align 8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 4
  store i32 1, ptr %19, align 4
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 8
  store i64 %7, ptr %20, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 %8, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store i64 %9, ptr %22, align 8
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store ptr %10, ptr %23, align 8
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store ptr %11, ptr %24, align 8
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store ptr %12, ptr %25, align 8
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 56
  store ptr %13, ptr %26, align 8
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store ptr %14, ptr %27, align 8
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 72
  store i32 %15, ptr %28, align 8
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 76
  store i32 %16, ptr %29, align 4
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 80
  store i32 %17, ptr %30, align 8
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 84
  store i32 %18, ptr %31, align 4
  br label %32

32:
  %33 = phi i32 [ 1, %1 ], [ 0, %6 ], [ 2, %3 ]
  ret i32 %33
}

define i64 @bundle_api_selftest_memory_size() local_unnamed_addr #10 {
  %1 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 112), align 8
  %2 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 116), align 4
  %3 = add i32 %2, %1
  %4 = zext i32 %3 to i64
  %5 = shl nuw nsw i64 %4, 3
  %6 = tail call fastcc i64 @padded(i64 noundef %5) #15
  %7 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %8 = tail call fastcc i64 @tensor_bytes(ptr noundef %7, i32 noundef signext %2) #15
  %9 = add i64 %6, 64
  %10 = add i64 %9, %8
  ret i64 %10
}

define internal fastcc noundef range(i64 0, -63) i64 @padded(i64 noundef %0) unnamed_addr #0 {
  %2 = add i64 %0, 63
  %3 = and i64 %2, -64
  ret i64 %3
}

define internal fastcc i64 @tensor_bytes(ptr noundef readonly captures(none) %0, i32 noundef signext %1) unnamed_addr #11 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %6, label %4

4:
  %5 = zext i32 %1 to i64
  br label %8

6:
  %7 = phi i64 [ 0, %2 ], [ %15, %8 ]
  ret i64 %7

8:
  %9 = phi i64 [ 0, %4 ], [ %16, %8 ]
  %10 = phi i64 [ 0, %4 ], [ %15, %8 ]
  %11 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %0, i64 %9
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 56
  %13 = load i64, ptr %12, align 8
  %14 = tail call fastcc i64 @padded(i64 noundef %13) #15
  %15 = add i64 %14, %10
  %16 = add nuw nsw i64 %9, 1
  %17 = icmp eq i64 %16, %5
  br i1 %17, label %6, label %8
}

define signext range(i32 0, 17) i32 @bundle_api_selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #1 {
  %6 = tail call fastcc signext i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef signext 0) #15
  ret i32 %6
}

define internal fastcc signext range(i32 0, 17) i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef signext range(i32 0, 2) %5) unnamed_addr #1 {
  %7 = alloca %struct.bundle_report, align 8
  %8 = alloca %struct.bundle_text, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #17
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %7, i8 0, i64 56, i1 false)
  %9 = tail call fastcc signext i32 @enter(ptr noundef %0) #15
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %11, label %79

11:
  %12 = icmp eq ptr %4, null
  br i1 %12, label %19, label %13

13:
  %14 = load i32, ptr %4, align 8
  %15 = icmp eq i32 %14, 56
  br i1 %15, label %19, label %16

16:
  %17 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 2, ptr noundef nonnull @.str.38, ptr noundef null) #15
  %18 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 2) #15
  br label %79

19:
  %20 = tail call fastcc ptr @golden_problem(ptr noundef %1, i64 noundef %2) #15
  %21 = icmp eq ptr %20, null
  %22 = icmp ne i32 %5, 0
  %23 = and i1 %22, %21
  br i1 %23, label %24, label %28

24:
  %25 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %26 = load i32, ptr %25, align 8
  %27 = icmp eq i32 %26, 0
  br i1 %27, label %29, label %33

28:
  br i1 %21, label %33, label %29

29:
  %30 = phi ptr [ %20, %28 ], [ @.str.39, %24 ]
  %31 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 14, ptr noundef nonnull %30, ptr noundef null) #15
  %32 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 14) #15
  br label %79

33:
  %34 = icmp eq ptr %3, null
  br i1 %34, label %41, label %35

35:
  %36 = tail call fastcc signext i32 @is_aligned(ptr noundef %3, i64 noundef 64) #15
  %37 = icmp eq i32 %36, 0
  br i1 %37, label %38, label %48

38:
  %39 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 8, ptr noundef nonnull @.str.40, ptr noundef null) #15
  %40 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 8) #15
  br label %79

41:
  %42 = tail call i64 @bundle_api_selftest_memory_size() #15
  %43 = tail call ptr @bundle_allocate(i64 noundef %42) #16
  %44 = icmp eq ptr %43, null
  br i1 %44, label %45, label %48

45:
  %46 = tail call fastcc signext i32 @fail(ptr noundef %0, i32 noundef signext 9, ptr noundef nonnull @.str.41, ptr noundef null) #15
  %47 = tail call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext 9) #15
  br label %79

48:
  %49 = phi ptr [ %43, %41 ], [ %3, %35 ]
  %50 = select i1 %12, ptr %7, ptr %4
  store i32 56, ptr %50, align 8
  %51 = select i1 %12, ptr %7, ptr %4
  %52 = getelementptr inbounds nuw i8, ptr %51, i64 4
  store i32 0, ptr %52, align 4
  %53 = select i1 %12, ptr %7, ptr %4
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 8
  store ptr @.str.42, ptr %54, align 8
  %55 = select i1 %12, ptr %7, ptr %4
  %56 = getelementptr inbounds nuw i8, ptr %55, i64 16
  store ptr @.str.42, ptr %56, align 8
  %57 = select i1 %12, ptr %7, ptr %4
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 24
  store i64 0, ptr %58, align 8
  %59 = select i1 %12, ptr %7, ptr %4
  %60 = getelementptr inbounds nuw i8, ptr %59, i64 32
  store double 0.000000e+00, ptr %60, align 8
  %61 = select i1 %12, ptr %7, ptr %4
  %62 = getelementptr inbounds nuw i8, ptr %61, i64 40
  store double 0.000000e+00, ptr %62, align 8
  %63 = select i1 %12, ptr %7, ptr %4
  %64 = getelementptr inbounds nuw i8, ptr %63, i64 48
  store double 0.000000e+00, ptr %64, align 8
  %65 = call fastcc signext i32 @run_cases(ptr noundef %0, ptr noundef %1, ptr noundef %49, i32 noundef signext %5, ptr noundef nonnull %50) #15
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %67, label %74

67:
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #17
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 40
  call fastcc void @message_for(ptr dead_on_unwind writable sret(%struct.bundle_text) align 8 %8, ptr noundef nonnull %68, i64 noundef 320, i32 noundef signext 15) #15
  call void @bundle_add(ptr noundef nonnull %8, ptr noundef nonnull @.str.43) #16
  %69 = load i32, ptr %52, align 4
  %70 = zext i32 %69 to i64
  call void @bundle_add_number(ptr noundef nonnull %8, i64 noundef %70) #16
  call void @bundle_add(ptr noundef nonnull %8, ptr noundef nonnull @.str.44) #16
  %71 = load ptr, ptr %56, align 8
  call void @bundle_add(ptr noundef nonnull %8, ptr noundef %71) #16
  call void @bundle_add(ptr noundef nonnull %8, ptr noundef nonnull @.str.31) #16
  %72 = load ptr, ptr %54, align 8
  call void @bundle_add(ptr noundef nonnull %8, ptr noundef %72) #16
  call void @bundle_add(ptr noundef nonnull %8, ptr noundef nonnull @.str.45) #16
  %73 = load i64, ptr %58, align 8
  call void @bundle_add_number(ptr noundef nonnull %8, i64 noundef %73) #16
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #17
  br label %74

74:
  %75 = phi i32 [ 0, %48 ], [ 15, %67 ]
  br i1 %34, label %76, label %77

76:
  call void @bundle_free(ptr noundef nonnull %49) #16
  br label %77

77:
  %78 = call fastcc signext i32 @leave(ptr noundef %0, i32 noundef signext %75) #15
  br label %79

79:
  %80 = phi i32 [ %9, %6 ], [ 2, %16 ], [ 14, %29 ], [ 8, %38 ], [ %75, %77 ], [ 9, %45 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #17
  ret i32 %80
}

define signext range(i32 0, 17) i32 @bundle_api_selftest_ops(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #1 {
  %6 = tail call fastcc signext i32 @selftest(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef %3, ptr noundef %4, i32 noundef signext 1) #15
  ret i32 %6
}

declare ptr @bundle_missing_feature(ptr noundef, i32 noundef signext) local_unnamed_addr #3

define internal fastcc signext range(i32 0, 9) i32 @check_weights(ptr noundef nonnull readonly captures(none) %0) unnamed_addr #1 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %3 = load ptr, ptr %2, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %17, label %5

5:
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %7 = load i64, ptr %6, align 8
  %8 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 80), align 8
  %9 = icmp eq i64 %7, %8
  br i1 %9, label %12, label %10

10:
  %11 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 6, ptr noundef nonnull @.str.2, i64 noundef %7, i64 noundef %8) #15
  br label %32

12:
  %13 = tail call fastcc signext i32 @is_aligned(ptr noundef %3, i64 noundef 64) #15
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %15, label %22

15:
  %16 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 8, ptr noundef nonnull @.str.26, i64 noundef 0, i64 noundef 0) #15
  br label %32

17:
  %18 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 64), align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %22

20:
  %21 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 6, ptr noundef nonnull @.str.27, i64 noundef 0, i64 noundef 0) #15
  br label %32

22:
  %23 = phi ptr [ %18, %17 ], [ %3, %12 ]
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 84
  %25 = load i32, ptr %24, align 4
  %26 = icmp ne i32 %25, 0
  %27 = zext i1 %26 to i32
  %28 = tail call fastcc signext i32 @are_our_weights(ptr noundef nonnull %23, i32 noundef signext %27) #15
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %32

30:
  %31 = tail call fastcc signext i32 @refuse(ptr noundef %0, i32 noundef signext 6, ptr noundef nonnull @.str.28, i64 noundef 0, i64 noundef 0) #15
  br label %32

32:
  %33 = phi i32 [ 6, %10 ], [ 6, %20 ], [ 6, %30 ], [ 8, %15 ], [ 0, %22 ]
  ret i32 %33
}

define internal fastcc signext range(i32 0, 2) i32 @are_our_weights(ptr noundef %0, i32 noundef signext range(i32 0, 2) %1) unnamed_addr #1 {
  %3 = alloca [32 x i8], align 1
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #17
  %4 = tail call fastcc signext i32 @same_bytes(ptr noundef %0, ptr noundef nonnull @are_our_weights.magic, i64 noundef 8) #15
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %17, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %8 = tail call fastcc signext i32 @same_bytes(ptr noundef nonnull %7, ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 144), i64 noundef 32) #15
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %17, label %10

10:
  %11 = icmp eq i32 %1, 0
  br i1 %11, label %17, label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %14 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 80), align 8
  %15 = add i64 %14, -64
  call void @bundle_sha256(ptr noundef nonnull %13, i64 noundef %15, ptr noundef nonnull %3) #16
  %16 = call fastcc signext i32 @same_bytes(ptr noundef nonnull %3, ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 144), i64 noundef 32) #15
  br label %17

17:
  %18 = phi i32 [ %16, %12 ], [ 0, %6 ], [ 0, %2 ], [ 1, %10 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #17
  ret i32 %18
}

define internal fastcc signext range(i32 0, 2) i32 @same_bytes(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef range(i64 0, 256) %2) unnamed_addr #11 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %15, label %8

5:
  %6 = add nuw nsw i64 %9, 1
  %7 = icmp eq i64 %6, %2
  br i1 %7, label %15, label %8

8:
  %9 = phi i64 [ %6, %5 ], [ 0, %3 ]
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 %9
  %11 = load i8, ptr %10, align 1
  %12 = getelementptr inbounds nuw i8, ptr %1, i64 %9
  %13 = load i8, ptr %12, align 1
  %14 = icmp eq i8 %11, %13
  br i1 %14, label %5, label %15

15:
  %16 = phi i32 [ 1, %3 ], [ 1, %5 ], [ 0, %8 ]
  ret i32 %16
}

declare void @bundle_sha256(ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr #3

define internal fastcc void @message_for(ptr dead_on_unwind noalias nonnull writable sret(%struct.bundle_text) align 8 initializes((0, 24)) %0, ptr noundef %1, i64 noundef %2, i32 noundef signext range(i32 1, 16) %3) unnamed_addr #1 {
  store ptr %1, ptr %0, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = icmp eq ptr %1, null
  %7 = select i1 %6, i64 0, i64 %2
  store i64 %7, ptr %5, align 8
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  store i64 0, ptr %8, align 8
  %9 = zext nneg i32 %3 to i64
  %10 = getelementptr inbounds nuw ptr, ptr @texts, i64 %9
  %11 = load ptr, ptr %10, align 8
  tail call void @bundle_add(ptr noundef nonnull %0, ptr noundef %11) #16
  ret void
}

declare void @bundle_add(ptr noundef, ptr noundef) local_unnamed_addr #3

declare void @bundle_add_number(ptr noundef, i64 noundef) local_unnamed_addr #3

define internal fastcc signext range(i32 0, 2) i32 @ranges_overlap(ptr noundef nonnull %0, i64 noundef %1, ptr noundef %2, i64 noundef range(i64 1, 0) %3) unnamed_addr #0 {
  %5 = ptrtoint ptr %0 to i64
  %6 = ptrtoint ptr %2 to i64
  %7 = add i64 %3, %6
  %8 = icmp ugt i64 %7, %5
  %9 = add i64 %1, %5
  %10 = icmp ugt i64 %9, %6
  %11 = and i1 %10, %8
  %12 = zext i1 %11 to i32
  ret i32 %12
}

define internal fastcc void @bind(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, i32 noundef signext %3) unnamed_addr #4 {
  %5 = tail call fastcc ptr @operands_of(ptr noundef %0) #15
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 108), align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %17, label %8

8:
  %9 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 24), align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %11 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 48), align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %13 = zext i32 %3 to i64
  %14 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %15 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %16 = zext i32 %6 to i64
  br label %18

17:
  ret void

18:
  %19 = phi i64 [ 0, %8 ], [ %67, %66 ]
  %20 = getelementptr inbounds nuw %struct.bundle_slot, ptr %9, i64 %19
  %21 = getelementptr inbounds nuw i8, ptr %20, i64 4
  %22 = load i32, ptr %21, align 4
  %23 = load i32, ptr %20, align 8
  switch i32 %23, label %66 [
    i32 0, label %24
    i32 1, label %33
    i32 4, label %42
    i32 5, label %52
  ]

24:
  %25 = zext i32 %22 to i64
  %26 = getelementptr inbounds nuw ptr, ptr %1, i64 %25
  %27 = load ptr, ptr %26, align 8
  %28 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %15, i64 %25
  %29 = getelementptr inbounds nuw i8, ptr %28, i64 80
  %30 = load i64, ptr %29, align 8
  %31 = mul i64 %30, %13
  %32 = getelementptr inbounds nuw i8, ptr %27, i64 %31
  br label %63

33:
  %34 = zext i32 %22 to i64
  %35 = getelementptr inbounds nuw ptr, ptr %2, i64 %34
  %36 = load ptr, ptr %35, align 8
  %37 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %14, i64 %34
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 80
  %39 = load i64, ptr %38, align 8
  %40 = mul i64 %39, %13
  %41 = getelementptr inbounds nuw i8, ptr %36, i64 %40
  br label %63

42:
  %43 = load ptr, ptr %10, align 8
  %44 = zext i32 %22 to i64
  %45 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %11, i64 %44
  %46 = getelementptr inbounds nuw i8, ptr %45, i64 96
  %47 = load i32, ptr %12, align 4
  %48 = zext i32 %47 to i64
  %49 = getelementptr inbounds nuw i64, ptr %46, i64 %48
  %50 = load i64, ptr %49, align 8
  %51 = getelementptr inbounds nuw i8, ptr %43, i64 %50
  br label %63

52:
  %53 = load ptr, ptr %10, align 8
  %54 = zext i32 %22 to i64
  %55 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %11, i64 %54
  %56 = getelementptr inbounds nuw i8, ptr %55, i64 96
  %57 = load i32, ptr %12, align 4
  %58 = icmp eq i32 %57, 0
  %59 = zext i1 %58 to i64
  %60 = getelementptr inbounds nuw i64, ptr %56, i64 %59
  %61 = load i64, ptr %60, align 8
  %62 = getelementptr inbounds nuw i8, ptr %53, i64 %61
  br label %63

63:
  %64 = phi ptr [ %62, %52 ], [ %51, %42 ], [ %41, %33 ], [ %32, %24 ]
  %65 = getelementptr inbounds nuw ptr, ptr %5, i64 %19
  store ptr %64, ptr %65, align 8
  br label %66

66:
  %67 = add nuw nsw i64 %19, 1
  %68 = icmp eq i64 %67, %16
  br i1 %68, label %17, label %18
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #12

define internal fastcc ptr @golden_problem(ptr noundef readonly %0, i64 noundef %1) unnamed_addr #10 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %54, label %4

4:
  %5 = tail call fastcc signext i32 @is_aligned(ptr noundef %0, i64 noundef 64) #15
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %54, label %7

7:
  %8 = icmp ult i64 %1, 64
  br i1 %8, label %54, label %9

9:
  %10 = tail call fastcc signext i32 @same_bytes(ptr noundef nonnull %0, ptr noundef nonnull @golden_problem.magic, i64 noundef 8) #15
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %54, label %12

12:
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %14 = load i32, ptr %13, align 8
  %15 = icmp eq i32 %14, 1
  br i1 %15, label %16, label %54

16:
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %18 = load i64, ptr %17, align 8
  %19 = load i64, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 72), align 8
  %20 = icmp eq i64 %18, %19
  br i1 %20, label %21, label %54

21:
  %22 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %23 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 112), align 8
  %24 = tail call fastcc i64 @tensor_bytes(ptr noundef %22, i32 noundef signext %23) #15
  %25 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %26 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 116), align 4
  %27 = tail call fastcc i64 @tensor_bytes(ptr noundef %25, i32 noundef signext %26) #15
  %28 = add i64 %27, %24
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %30 = load i32, ptr %29, align 8
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %35, label %32

32:
  %33 = tail call fastcc i64 @kernel_bytes() #15
  %34 = add i64 %33, %28
  br label %35

35:
  %36 = phi i64 [ %34, %32 ], [ %28, %21 ]
  %37 = zext i32 %26 to i64
  %38 = shl nuw nsw i64 %37, 4
  %39 = tail call fastcc i64 @padded(i64 noundef %38) #15
  %40 = add i64 %39, 64
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 12
  %42 = load i32, ptr %41, align 4
  %43 = zext i32 %42 to i64
  %44 = mul i64 %36, %43
  %45 = add i64 %40, %44
  %46 = icmp ugt i32 %42, 1024
  br i1 %46, label %54, label %47

47:
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %49 = load i64, ptr %48, align 8
  %50 = icmp eq i64 %49, %45
  br i1 %50, label %51, label %54

51:
  %52 = icmp eq i64 %1, %45
  %53 = select i1 %52, ptr null, ptr @.str.49
  br label %54

54:
  %55 = phi ptr [ @.str.46, %2 ], [ @.str.47, %7 ], [ @.str.48, %12 ], [ @.str.46, %4 ], [ @.str.47, %9 ], [ @.str.48, %16 ], [ @.str.49, %47 ], [ @.str.49, %35 ], [ %53, %51 ]
  ret ptr %55
}

define internal fastcc signext range(i32 0, 2) i32 @run_cases(ptr noundef %0, ptr noundef %1, ptr noundef nonnull %2, i32 noundef signext range(i32 0, 2) %3, ptr noundef %4) unnamed_addr #1 {
  %6 = alloca %struct.golden_run, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #17
  %7 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %8 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 116), align 4
  %9 = zext i32 %8 to i64
  %10 = shl nuw nsw i64 %9, 4
  %11 = tail call fastcc i64 @padded(i64 noundef %10) #15
  %12 = getelementptr inbounds nuw i8, ptr %7, i64 %11
  store ptr %12, ptr %6, align 8
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 8
  store ptr %7, ptr %13, align 8
  %14 = getelementptr inbounds nuw i8, ptr %6, i64 16
  store ptr %2, ptr %14, align 8
  %15 = getelementptr inbounds nuw i8, ptr %6, i64 24
  %16 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 112), align 8
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds nuw ptr, ptr %2, i64 %17
  store ptr %18, ptr %15, align 8
  %19 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %20 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %21 = load i32, ptr %20, align 8
  %22 = icmp ne i32 %21, 0
  %23 = zext i1 %22 to i32
  store i32 %23, ptr %19, align 8
  %24 = getelementptr inbounds nuw i8, ptr %6, i64 36
  store i32 %3, ptr %24, align 4
  %25 = icmp eq i32 %8, 0
  br i1 %25, label %33, label %26

26:
  %27 = add i32 %16, %8
  %28 = zext i32 %27 to i64
  %29 = shl nuw nsw i64 %28, 3
  %30 = tail call fastcc i64 @padded(i64 noundef %29) #15
  %31 = getelementptr inbounds nuw i8, ptr %2, i64 %30
  %32 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  br label %36

33:
  tail call fastcc void @reset(ptr noundef %0) #15
  %34 = getelementptr inbounds nuw i8, ptr %1, i64 12
  %35 = getelementptr inbounds nuw i8, ptr %4, i64 4
  br label %47

36:
  %37 = phi i64 [ 0, %26 ], [ %45, %36 ]
  %38 = phi ptr [ %31, %26 ], [ %44, %36 ]
  %39 = getelementptr inbounds nuw ptr, ptr %18, i64 %37
  store ptr %38, ptr %39, align 8
  %40 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %32, i64 %37
  %41 = getelementptr inbounds nuw i8, ptr %40, i64 56
  %42 = load i64, ptr %41, align 8
  %43 = tail call fastcc i64 @padded(i64 noundef %42) #15
  %44 = getelementptr inbounds nuw i8, ptr %38, i64 %43
  %45 = add nuw nsw i64 %37, 1
  %46 = icmp eq i64 %45, %9
  br i1 %46, label %33, label %36

47:
  %48 = phi i32 [ 0, %33 ], [ %55, %53 ]
  %49 = load i32, ptr %34, align 4
  %50 = icmp ult i32 %48, %49
  br i1 %50, label %53, label %51

51:
  %52 = phi i32 [ 0, %53 ], [ 1, %47 ]
  tail call fastcc void @reset(ptr noundef %0) #15
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #17
  ret i32 %52

53:
  store i32 %48, ptr %35, align 4
  %54 = call fastcc signext i32 @run_case(ptr noundef %0, ptr noundef %6, ptr noundef %4) #15
  %55 = add nuw i32 %48, 1
  %56 = icmp eq i32 %54, 0
  br i1 %56, label %51, label %47
}

define internal fastcc i64 @kernel_bytes() unnamed_addr #10 {
  %1 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 108), align 4
  %2 = icmp eq i32 %1, 0
  br i1 %2, label %6, label %3

3:
  %4 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 24), align 8
  %5 = zext i32 %1 to i64
  br label %11

6:
  %7 = phi i64 [ 0, %0 ], [ %30, %29 ]
  %8 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 128), align 8
  %9 = zext i32 %8 to i64
  %10 = mul i64 %7, %9
  ret i64 %10

11:
  %12 = phi i64 [ 0, %3 ], [ %31, %29 ]
  %13 = phi i64 [ 0, %3 ], [ %30, %29 ]
  %14 = getelementptr inbounds nuw %struct.bundle_slot, ptr %4, i64 %12
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 12
  %16 = load i32, ptr %15, align 4
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %29, label %18

18:
  %19 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %20 = load i32, ptr %19, align 8
  %21 = tail call fastcc i64 @item_size(i32 noundef signext %20) #15
  %22 = getelementptr inbounds nuw i8, ptr %14, i64 24
  %23 = load i64, ptr %22, align 8
  %24 = udiv i64 %23, %21
  %25 = tail call i64 @llvm.umin.i64(i64 %24, i64 256)
  %26 = mul nuw nsw i64 %25, %21
  %27 = tail call fastcc i64 @padded(i64 noundef %26) #15
  %28 = add i64 %27, %13
  br label %29

29:
  %30 = phi i64 [ %28, %18 ], [ %13, %11 ]
  %31 = add nuw nsw i64 %12, 1
  %32 = icmp eq i64 %31, %5
  br i1 %32, label %6, label %11
}

define internal fastcc range(i64 0, 256) i64 @item_size(i32 noundef signext %0) unnamed_addr #0 {
  %2 = zext i32 %0 to i64
  %3 = getelementptr inbounds nuw i8, ptr @item_size.sizes, i64 %2
  %4 = load i8, ptr %3, align 1
  %5 = zext i8 %4 to i64
  ret i64 %5
}

define internal fastcc signext range(i32 0, 2) i32 @run_case(ptr noundef %0, ptr noundef nonnull captures(none) %1, ptr noundef %2) unnamed_addr #1 {
  %4 = alloca %struct.kernel_walk, align 8
  %5 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 112), align 8
  %6 = icmp eq i32 %5, 0
  %7 = load ptr, ptr %1, align 8
  br i1 %6, label %12, label %8

8:
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %10 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 32), align 8
  %11 = zext i32 %5 to i64
  br label %32

12:
  %13 = phi ptr [ %7, %3 ], [ %42, %32 ]
  %14 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 40), align 8
  %15 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 116), align 4
  %16 = tail call fastcc i64 @tensor_bytes(ptr noundef %14, i32 noundef signext %15) #15
  %17 = getelementptr inbounds nuw i8, ptr %13, i64 %16
  store ptr %17, ptr %1, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #17
  store ptr %17, ptr %4, align 8
  %18 = getelementptr inbounds nuw i8, ptr %4, i64 8
  store ptr %2, ptr %18, align 8
  %19 = getelementptr inbounds nuw i8, ptr %4, i64 16
  store i32 1, ptr %19, align 8
  %20 = getelementptr inbounds nuw i8, ptr %4, i64 20
  store i32 0, ptr %20, align 4
  %21 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %1, i64 36
  %26 = load i32, ptr %25, align 4
  %27 = icmp eq i32 %26, 0
  %28 = select i1 %27, ptr null, ptr @look
  call fastcc void @execute(ptr noundef %0, ptr noundef %22, ptr noundef %24, ptr noundef %28, ptr noundef nonnull %4) #15
  %29 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %30 = load i32, ptr %29, align 8
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %49, label %45

32:
  %33 = phi ptr [ %7, %8 ], [ %42, %32 ]
  %34 = phi i64 [ 0, %8 ], [ %43, %32 ]
  %35 = load ptr, ptr %9, align 8
  %36 = getelementptr inbounds nuw ptr, ptr %35, i64 %34
  store ptr %33, ptr %36, align 8
  %37 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %10, i64 %34
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 56
  %39 = load i64, ptr %38, align 8
  %40 = tail call fastcc i64 @padded(i64 noundef %39) #15
  %41 = load ptr, ptr %1, align 8
  %42 = getelementptr inbounds nuw i8, ptr %41, i64 %40
  store ptr %42, ptr %1, align 8
  %43 = add nuw nsw i64 %34, 1
  %44 = icmp eq i64 %43, %11
  br i1 %44, label %12, label %32

45:
  %46 = call fastcc i64 @kernel_bytes() #15
  %47 = load ptr, ptr %1, align 8
  %48 = getelementptr inbounds nuw i8, ptr %47, i64 %46
  store ptr %48, ptr %1, align 8
  br label %49

49:
  %50 = load i32, ptr %19, align 8
  %51 = icmp eq i32 %50, 0
  br i1 %51, label %86, label %52

52:
  %53 = icmp eq i32 %15, 0
  br i1 %53, label %86, label %54

54:
  %55 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %56 = zext i32 %15 to i64
  br label %57

57:
  %58 = phi i64 [ 0, %54 ], [ %84, %80 ]
  %59 = phi ptr [ %13, %54 ], [ %83, %80 ]
  %60 = getelementptr inbounds nuw %struct.bundle_tensor, ptr %14, i64 %58
  %61 = getelementptr inbounds nuw i8, ptr %60, i64 56
  %62 = load i64, ptr %61, align 8
  %63 = getelementptr inbounds nuw i8, ptr %60, i64 72
  %64 = load i32, ptr %63, align 8
  %65 = zext i32 %64 to i64
  %66 = udiv i64 %62, %65
  %67 = getelementptr inbounds nuw i8, ptr %60, i64 68
  %68 = load i32, ptr %67, align 4
  %69 = load ptr, ptr %23, align 8
  %70 = getelementptr inbounds nuw ptr, ptr %69, i64 %58
  %71 = load ptr, ptr %70, align 8
  %72 = load ptr, ptr %55, align 8
  %73 = getelementptr inbounds nuw %struct.golden_bound, ptr %72, i64 %58
  %74 = call fastcc signext i32 @agree(i32 noundef signext %68, ptr noundef %71, ptr noundef %59, i64 noundef %66, i64 noundef %66, ptr noundef %73, ptr noundef %2) #15
  %75 = icmp eq i32 %74, 0
  br i1 %75, label %76, label %80

76:
  %77 = load ptr, ptr %60, align 8
  %78 = getelementptr inbounds nuw i8, ptr %2, i64 8
  store ptr %77, ptr %78, align 8
  %79 = getelementptr inbounds nuw i8, ptr %2, i64 16
  store ptr @.str.34, ptr %79, align 8
  br label %86

80:
  %81 = load i64, ptr %61, align 8
  %82 = call fastcc i64 @padded(i64 noundef %81) #15
  %83 = getelementptr inbounds nuw i8, ptr %59, i64 %82
  %84 = add nuw nsw i64 %58, 1
  %85 = icmp eq i64 %84, %56
  br i1 %85, label %86, label %57

86:
  %87 = phi i32 [ 0, %49 ], [ 0, %76 ], [ 1, %52 ], [ 1, %80 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #17
  ret i32 %87
}

define internal void @look(ptr noundef captures(none) %0, i32 noundef signext %1, ptr noundef %2, ptr noundef %3, ptr noundef readonly captures(none) %4) #4 {
  %6 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 16), align 8
  %7 = zext i32 %1 to i64
  %8 = getelementptr inbounds nuw %struct.bundle_step, ptr %6, i64 %7
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 28
  %10 = load i32, ptr %9, align 4
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %17, label %12

12:
  %13 = load ptr, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 24), align 8
  %14 = getelementptr inbounds nuw i8, ptr %8, i64 24
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 8
  br label %18

17:
  ret void

18:
  %19 = phi i32 [ %10, %12 ], [ %60, %59 ]
  %20 = phi i64 [ 0, %12 ], [ %61, %59 ]
  %21 = load i32, ptr %14, align 8
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds nuw %struct.bundle_slot, ptr %13, i64 %22
  %24 = getelementptr inbounds nuw %struct.bundle_slot, ptr %23, i64 %20
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 12
  %26 = load i32, ptr %25, align 4
  %27 = icmp eq i32 %26, 0
  br i1 %27, label %59, label %28

28:
  %29 = getelementptr inbounds nuw i8, ptr %24, i64 8
  %30 = load i32, ptr %29, align 8
  %31 = tail call fastcc i64 @item_size(i32 noundef signext %30) #15
  %32 = getelementptr inbounds nuw i8, ptr %24, i64 24
  %33 = load i64, ptr %32, align 8
  %34 = udiv i64 %33, %31
  %35 = tail call i64 @llvm.umin.i64(i64 %34, i64 256)
  %36 = load i32, ptr %15, align 8
  %37 = icmp eq i32 %36, 0
  br i1 %37, label %53, label %38

38:
  %39 = getelementptr inbounds nuw ptr, ptr %4, i64 %20
  %40 = load ptr, ptr %39, align 8
  %41 = load ptr, ptr %0, align 8
  %42 = icmp ugt i32 %30, 6
  %43 = zext i1 %42 to i64
  %44 = getelementptr inbounds nuw %struct.golden_bound, ptr @kernel_bounds, i64 %43
  %45 = load ptr, ptr %16, align 8
  %46 = tail call fastcc signext i32 @agree(i32 noundef signext %30, ptr noundef %40, ptr noundef %41, i64 noundef %35, i64 noundef %34, ptr noundef nonnull %44, ptr noundef %45) #15
  %47 = icmp eq i32 %46, 0
  br i1 %47, label %48, label %53

48:
  store i32 0, ptr %15, align 8
  %49 = load ptr, ptr %16, align 8
  %50 = getelementptr inbounds nuw i8, ptr %49, i64 8
  store ptr %2, ptr %50, align 8
  %51 = load ptr, ptr %16, align 8
  %52 = getelementptr inbounds nuw i8, ptr %51, i64 16
  store ptr %3, ptr %52, align 8
  br label %53

53:
  %54 = mul nuw nsw i64 %35, %31
  %55 = tail call fastcc i64 @padded(i64 noundef %54) #15
  %56 = load ptr, ptr %0, align 8
  %57 = getelementptr inbounds nuw i8, ptr %56, i64 %55
  store ptr %57, ptr %0, align 8
  %58 = load i32, ptr %9, align 4
  br label %59

59:
  %60 = phi i32 [ %19, %18 ], [ %58, %53 ]
  %61 = add nuw nsw i64 %20, 1
  %62 = zext i32 %60 to i64
  %63 = icmp samesign ult i64 %61, %62
  br i1 %63, label %18, label %17
}

define internal fastcc signext range(i32 0, 2) i32 @agree(i32 noundef signext %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, i64 noundef %3, i64 noundef %4, ptr noundef readonly captures(none) %5, ptr noundef captures(none) %6) unnamed_addr #7 {
  %8 = tail call fastcc i64 @item_size(i32 noundef signext %0) #15
  %9 = icmp eq i64 %3, 0
  br i1 %9, label %69, label %19

10:
  %11 = load double, ptr %5, align 8
  %12 = fmul double %29, %11
  %13 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %14 = load double, ptr %13, align 8
  %15 = fadd double %12, %14
  %16 = icmp eq i64 %3, %4
  %17 = getelementptr inbounds nuw i8, ptr %6, i64 48
  %18 = icmp ugt i32 %0, 6
  br label %32

19:
  %20 = phi double [ %29, %19 ], [ 0.000000e+00, %7 ]
  %21 = phi i64 [ %30, %19 ], [ 0, %7 ]
  %22 = mul i64 %21, %8
  %23 = getelementptr inbounds nuw i8, ptr %2, i64 %22
  %24 = tail call fastcc double @value_of(i32 noundef signext %0, ptr noundef %23) #15
  %25 = tail call fastcc double @magnitude(double noundef %24) #15
  %26 = fcmp ogt double %25, %20
  %27 = fcmp one double %25, 0x7FF0000000000000
  %28 = and i1 %26, %27
  %29 = select i1 %28, double %25, double %20
  %30 = add nuw i64 %21, 1
  %31 = icmp eq i64 %30, %3
  br i1 %31, label %10, label %19

32:
  %33 = phi i64 [ 0, %10 ], [ %67, %66 ]
  br i1 %16, label %37, label %34

34:
  %35 = mul i64 %33, %4
  %36 = udiv i64 %35, %3
  br label %37

37:
  %38 = phi i64 [ %36, %34 ], [ %33, %32 ]
  %39 = mul i64 %38, %8
  %40 = getelementptr inbounds nuw i8, ptr %1, i64 %39
  %41 = mul i64 %33, %8
  %42 = getelementptr inbounds nuw i8, ptr %2, i64 %41
  %43 = tail call fastcc signext i32 @same_bytes(ptr noundef %40, ptr noundef %42, i64 noundef %8) #15
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %45, label %66

45:
  %46 = tail call fastcc double @value_of(i32 noundef signext %0, ptr noundef %40) #15
  %47 = tail call fastcc double @value_of(i32 noundef signext %0, ptr noundef %42) #15
  %48 = fsub double %46, %47
  %49 = tail call fastcc double @magnitude(double noundef %48) #15
  %50 = fcmp uno double %46, 0.000000e+00
  %51 = fcmp uno double %47, 0.000000e+00
  %52 = and i1 %50, %51
  br i1 %52, label %66, label %53

53:
  %54 = load double, ptr %17, align 8
  %55 = fcmp ugt double %49, %54
  br i1 %55, label %56, label %57

56:
  store double %49, ptr %17, align 8
  br label %57

57:
  %58 = fcmp ole double %49, %15
  %59 = fcmp ogt double %49, 0.000000e+00
  %60 = or i1 %18, %59
  %61 = and i1 %58, %60
  br i1 %61, label %66, label %62

62:
  %63 = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 %38, ptr %63, align 8
  %64 = getelementptr inbounds nuw i8, ptr %6, i64 32
  store double %46, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %6, i64 40
  store double %47, ptr %65, align 8
  br label %69

66:
  %67 = add nuw i64 %33, 1
  %68 = icmp eq i64 %67, %3
  br i1 %68, label %69, label %32

69:
  %70 = phi i32 [ 0, %62 ], [ 1, %7 ], [ 1, %66 ]
  ret i32 %70
}

define internal fastcc noundef double @magnitude(double noundef %0) unnamed_addr #0 {
  %2 = fcmp olt double %0, 0.000000e+00
  %3 = fneg double %0
  %4 = select i1 %2, double %3, double %0
  ret double %4
}

define internal fastcc double @value_of(i32 noundef signext %0, ptr noundef readonly captures(none) %1) unnamed_addr #11 {
  %3 = tail call fastcc i64 @item_size(i32 noundef signext %0) #15
  %4 = icmp eq i64 %3, 0
  br i1 %4, label %5, label %7

5:
  %6 = phi i64 [ 0, %2 ], [ %15, %7 ]
  switch i32 %0, label %47 [
    i32 1, label %18
    i32 3, label %21
    i32 5, label %24
    i32 6, label %27
    i32 7, label %35
    i32 8, label %38
    i32 9, label %38
    i32 10, label %45
  ]

7:
  %8 = phi i64 [ %15, %7 ], [ 0, %2 ]
  %9 = phi i64 [ %16, %7 ], [ 0, %2 ]
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 %9
  %11 = load i8, ptr %10, align 1
  %12 = zext i8 %11 to i64
  %13 = shl nuw nsw i64 %9, 3
  %14 = shl i64 %12, %13
  %15 = or i64 %14, %8
  %16 = add nuw nsw i64 %9, 1
  %17 = icmp eq i64 %16, %3
  br i1 %17, label %5, label %7

18:
  %19 = trunc i64 %6 to i8
  %20 = sitofp i8 %19 to double
  br label %50

21:
  %22 = trunc i64 %6 to i16
  %23 = sitofp i16 %22 to double
  br label %50

24:
  %25 = trunc i64 %6 to i32
  %26 = sitofp i32 %25 to double
  br label %50

27:
  %28 = lshr i64 %6, 32
  %29 = trunc nuw i64 %28 to i32
  %30 = sitofp i32 %29 to double
  %31 = fmul double %30, 0x41F0000000000000
  %32 = trunc i64 %6 to i32
  %33 = uitofp i32 %32 to double
  %34 = fadd double %31, %33
  br label %50

35:
  %36 = trunc i64 %6 to i32
  %37 = tail call fastcc double @half_value(i32 noundef signext %36) #15
  br label %50

38:
  %39 = icmp eq i32 %0, 8
  %40 = shl i64 %6, 16
  %41 = select i1 %39, i64 %40, i64 %6
  %42 = trunc i64 %41 to i32
  %43 = bitcast i32 %42 to float
  %44 = fpext float %43 to double
  br label %50

45:
  %46 = bitcast i64 %6 to double
  br label %50

47:
  %48 = trunc i64 %6 to i32
  %49 = uitofp i32 %48 to double
  br label %50

50:
  %51 = phi double [ %49, %47 ], [ %20, %18 ], [ %23, %21 ], [ %26, %24 ], [ %34, %27 ], [ %37, %35 ], [ %44, %38 ], [ %46, %45 ]
  ret double %51
}

define internal fastcc double @half_value(i32 noundef signext %0) unnamed_addr #13 {
  %2 = lshr i32 %0, 10
  %3 = and i32 %2, 31
  %4 = and i32 %0, 1023
  switch i32 %3, label %12 [
    i32 31, label %7
    i32 0, label %5
  ]

5:
  %6 = uitofp nneg i32 %4 to double
  br label %16

7:
  %8 = icmp eq i32 %4, 0
  %9 = icmp ult i32 %0, 32768
  %10 = select i1 %9, double 0x7FF0000000000000, double 0xFFF0000000000000
  %11 = select i1 %8, double %10, double 0x7FF8000000000000
  br label %40

12:
  %13 = or disjoint i32 %4, 1024
  %14 = uitofp nneg i32 %13 to double
  %15 = icmp samesign ult i32 %3, 25
  br i1 %15, label %16, label %19

16:
  %17 = phi double [ %6, %5 ], [ %14, %12 ]
  %18 = tail call i32 @llvm.umax.i32(i32 %3, i32 1)
  br label %21

19:
  %20 = icmp eq i32 %3, 25
  br i1 %20, label %27, label %34

21:
  %22 = phi i32 [ %25, %21 ], [ %18, %16 ]
  %23 = phi double [ %24, %21 ], [ 1.000000e+00, %16 ]
  %24 = fmul double %23, 5.000000e-01
  %25 = add nuw nsw i32 %22, 1
  %26 = icmp eq i32 %25, 25
  br i1 %26, label %27, label %21

27:
  %28 = phi double [ %14, %19 ], [ %17, %21 ], [ %14, %34 ]
  %29 = phi double [ 1.000000e+00, %19 ], [ %24, %21 ], [ %37, %34 ]
  %30 = icmp ult i32 %0, 32768
  %31 = fneg double %28
  %32 = select i1 %30, double %28, double %31
  %33 = fmul double %32, %29
  br label %40

34:
  %35 = phi i32 [ %38, %34 ], [ 25, %19 ]
  %36 = phi double [ %37, %34 ], [ 1.000000e+00, %19 ]
  %37 = fmul double %36, 2.000000e+00
  %38 = add nuw nsw i32 %35, 1
  %39 = icmp eq i32 %38, %3
  br i1 %39, label %27, label %34

40:
  %41 = phi double [ %11, %7 ], [ %33, %27 ]
  ret double %41
}

declare i64 @llvm.umin.i64(i64, i64) #14

declare i32 @llvm.umax.i32(i32, i32) #14

attributes #0 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "no-builtins" }
attributes #1 = { nounwind optsize "no-builtins" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { optsize "no-builtins" }
attributes #4 = { nofree norecurse nosync nounwind optsize memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #5 = { mustprogress nofree norecurse nounwind optsize willreturn memory(argmem: readwrite) "no-builtins" }
attributes #6 = { nofree norecurse nounwind optsize memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #7 = { nofree norecurse nosync nounwind optsize memory(argmem: readwrite) "no-builtins" }
attributes #8 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: read) "no-builtins" }
attributes #9 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: readwrite) "no-builtins" }
attributes #10 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #11 = { nofree norecurse nosync nounwind optsize memory(argmem: read) "no-builtins" }
attributes #12 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #13 = { nofree norecurse nosync nounwind optsize memory(none) "no-builtins" }
attributes #14 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #15 = { nobuiltin optsize "no-builtins" }
attributes #16 = { nobuiltin nounwind optsize "no-builtins" }
attributes #17 = { nounwind }
